import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ApiDriver } from './api-driver';
import { waitUntil } from './wait-until';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'main.js');
const READY_TIMEOUT_MS = 45_000;

/**
 * `holdpoint dev` as users run it: the built program in processes of its own, in a process group of its own, with a
 * state folder and a workspace of its own.
 */
export class DevProcess extends ApiDriver {
  readonly homeFolder: string;
  readonly workspaceFolder: string;
  /** Every line it printed, over all starts. */
  readonly lines: string[] = [];
  url = '';
  temporalAddress = '';
  private child: ChildProcess | undefined;
  private readonly extra: Readonly<Record<string, string>>;

  constructor(extraEnvironment: Readonly<Record<string, string>> = {}, agent?: string) {
    super(agent);
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-dev-'));
    this.homeFolder = join(folder, 'state');
    this.workspaceFolder = mkdtempSync(join(folder, 'workspace-'));
    this.extra = extraEnvironment;
  }

  /**
   * Resolves when the process says it is ready; rejects with all it printed when it ends before.
   *
   * @param folder Folder below the workspace where it is started. Default: the workspace.
   * @param more Further arguments of the command.
   */
  async start(folder = '', more: readonly string[] = []): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, 'dev', ...more], {
      cwd: join(this.workspaceFolder, folder),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        TEMPORAL_ADDRESS: '',
        HOLDPOINT_HOME: this.homeFolder,
        HOLDPOINT_PORT: '0',
        ...this.extra,
      },
    });
    this.child = child;
    const from = this.lines.length;
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timer);
        reject(new Error(`${why}:\n${this.lines.slice(from).join('\n')}`));
      };
      const timer = setTimeout(() => fail('not ready in time'), READY_TIMEOUT_MS);
      child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
          this.lines.push(line);
          this.temporalAddress = /^temporal at (\S+)$/.exec(line)?.[1] ?? this.temporalAddress;
          const ready = /^holdpoint ready at (\S+)$/.exec(line);
          if (ready !== null) {
            this.url = ready[1] ?? '';
            clearTimeout(timer);
            resolve();
          }
        });
      }
    });
  }

  /** The first line after the first `from` that matches, once there is one. */
  async untilLine(pattern: RegExp, from = 0): Promise<string> {
    const find = () => this.lines.slice(from).find((line) => pattern.test(line));
    return (await waitUntil(find, (line) => line !== undefined)) ?? '';
  }

  /** kill -9 of the whole process group, as a power cut would; the Temporal server is in a group of its own. */
  async kill(): Promise<void> {
    const child = this.child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  }

  /** Sends a signal to the whole group, without waiting. */
  signal(signal: NodeJS.Signals): void {
    if (this.child?.pid !== undefined && this.child.exitCode === null) {
      process.kill(-this.child.pid, signal);
    }
  }

  /** Process ids of the worker child. */
  workerPids(): readonly number[] {
    const pid = this.child?.pid ?? 0;
    // The Temporal server is a child too, when this process has started it.
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number)
      .filter((child) => child !== this.temporalPid());
  }

  /** kill -9 of the worker child alone. */
  killChildren(): void {
    for (const child of this.workerPids()) {
      process.kill(child, 'SIGKILL');
    }
  }

  /** kill -9 of the parent alone; its worker child and the Temporal server live on. */
  async killParent(): Promise<void> {
    const child = this.child;
    if (child?.pid === undefined) {
      return;
    }
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(child.pid, 'SIGKILL');
    await gone;
  }

  /** Process id of the Temporal server, from `server.json`. */
  temporalPid(): number {
    return (JSON.parse(readFileSync(join(this.homeFolder, 'server.json'), 'utf8')) as { pid: number }).pid;
  }

  /** kill -9 of the Temporal server. */
  killTemporalServer(): void {
    process.kill(this.temporalPid(), 'SIGKILL');
  }

  /** Ctrl-C: the signal goes to the whole group, as a terminal sends it. Resolves with the exit code. */
  async interrupt(): Promise<number | null> {
    const child = this.child;
    if (child?.pid === undefined || child.exitCode !== null) {
      return child?.exitCode ?? null;
    }
    const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    process.kill(-child.pid, 'SIGINT');
    return gone;
  }

  /** Runs `holdpoint stop` on the state folder and returns its last line. */
  async runStop(): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'stop'], {
      env: { ...process.env, HOLDPOINT_HOME: this.homeFolder },
    });
    return stdout.trim().split('\n').at(-1) ?? '';
  }

  /** Ends everything, also a Temporal server that a kill left behind, and removes the folders. */
  async dispose(): Promise<void> {
    await this.kill();
    await this.runStop();
    rmSync(join(this.homeFolder, '..'), { recursive: true, force: true });
  }

  protected override baseUrl(): string {
    return this.url;
  }

  protected override explain(): string {
    return this.log().slice(-4_000);
  }

  /** What the processes wrote to their log file. */
  log(): string {
    try {
      return readFileSync(join(this.homeFolder, 'holdpoint.log'), 'utf8');
    } catch {
      return '';
    }
  }
}
