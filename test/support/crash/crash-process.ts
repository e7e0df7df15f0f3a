import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = join(__dirname, 'crash-program.ts');
const READY_TIMEOUT_MS = 40_000;

export interface CrashSettings {
  /** Holds the store and the target of the tools; several processes may share it. */
  readonly folder: string;
  readonly temporalAddress: string;
  readonly taskQueue: string;
  /** See `Trap`. Default: none. */
  readonly trap?: string;
  /** Active time of a turn. Default: that of every agent. */
  readonly activeMsPerTurn?: number;
}

/** One run of crash-program. */
export class CrashProcess {
  readonly url: string;
  readonly lines: readonly string[];
  private readonly child: ChildProcess;
  private readonly exited: Promise<void>;
  private readonly waiting: { readonly line: string; readonly resolve: () => void }[];

  private constructor(parts: Pick<CrashProcess, 'url' | 'lines'>, child: ChildProcess, exited: Promise<void>) {
    this.url = parts.url;
    this.lines = parts.lines;
    this.child = child;
    this.exited = exited;
    this.waiting = [];
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => this.hear(line));
  }

  static async start(settings: CrashSettings): Promise<CrashProcess> {
    const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        CRASH_FOLDER: settings.folder,
        CRASH_TEMPORAL: settings.temporalAddress,
        CRASH_TASK_QUEUE: settings.taskQueue,
        CRASH_TRAP: settings.trap ?? '',
        CRASH_ACTIVE_MS: String(settings.activeMsPerTurn ?? ''),
      },
    });
    const lines: string[] = [];
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const url = await readyUrl(child, lines);
    return new CrashProcess({ url, lines }, child, exited);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Resolves when the process says that its trap has sprung. */
  trapped(): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ line: 'trapped at', resolve }));
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** Goes on after a freeze, finishes what it had begun, and ends. */
  async thawAndStop(): Promise<void> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    await this.exited;
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    await this.exited;
  }

  untilGone(): Promise<void> {
    return this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null) {
      process.kill(-this.child.pid, signal);
    }
  }

  private hear(line: string): void {
    for (const waiter of this.waiting) {
      if (line.startsWith(waiter.line)) {
        waiter.resolve();
      }
    }
  }
}

function readyUrl(child: ChildProcess, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`crash-program ${why}:\n${lines.join('\n')}`));
    const timer = setTimeout(() => fail('was not ready in time'), READY_TIMEOUT_MS);
    child.once('exit', () => fail('ended before it was ready'));
    const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    reader.on('line', (line) => {
      const ready = /^ready at (\S+)$/.exec(line);
      if (ready !== null) {
        clearTimeout(timer);
        reader.close();
        resolve(ready[1] ?? '');
      }
    });
  });
}
