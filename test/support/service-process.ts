import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ApiDriver } from './api-driver';
import { waitUntil } from './wait-until';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'main.js');

/** A command of the built program that runs until it is told to stop: `worker` or `gateway`. Drives the gateway over HTTP. */
export class ServiceProcess extends ApiDriver {
  /** Every line it printed on standard output and standard error. */
  readonly lines: string[] = [];
  private readonly child: ChildProcess;

  /**
   * @param parameters Of the built program; a script of the folder runs instead when its name is the only one.
   * @param environment On top of that of this process, without what is set there for holdpoint and Temporal.
   */
  constructor(parameters: readonly string[], folder: string, environment: Readonly<Record<string, string>>) {
    super('desk');
    const inherited = Object.entries(process.env).filter(([name]) => !/^(HOLDPOINT|TEMPORAL)_/.test(name));
    const isScript = parameters.length === 1 && parameters[0]?.endsWith('.mjs') === true;
    this.child = spawn(process.execPath, isScript ? parameters : [PROGRAM, ...parameters], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => this.lines.push(line));
    }
  }

  /** The first line that matches, once there is one; rejects with all it printed when it ends before. */
  async untilLine(pattern: RegExp): Promise<string> {
    const find = () => this.lines.find((line) => pattern.test(line));
    await waitUntil(find, (line) => line !== undefined || this.hasEnded());
    const line = find();
    if (line === undefined) {
      throw new Error(`ended with ${this.child.exitCode ?? this.child.signalCode}:\n${this.lines.join('\n')}`);
    }
    return line;
  }

  /** Resolves with the exit code when the process is over. */
  async untilGone(): Promise<number | null> {
    if (!this.hasEnded()) {
      await once(this.child, 'close');
    }
    return this.child.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Ends it whatever it does. */
  async dispose(): Promise<void> {
    if (!this.hasEnded()) {
      this.child.kill('SIGKILL');
      await this.untilGone();
    }
  }

  protected override baseUrl(): string {
    return /"url":"([^"]+)"/.exec(this.lines.find((line) => line.includes('gateway started')) ?? '')?.[1] ?? '';
  }

  protected override explain(): string {
    return this.lines.join('\n').slice(-4_000);
  }
}
