import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Built from the sources before the tests of this tier. */
const PROGRAM = join(__dirname, '..', '..', '..', '.test-build', 'cli.js');
const DEADLINE_MS = 60_000;

/** How a command line is started, here and in a pseudo-terminal. */
export function cliCommand(parameters: readonly string[]): readonly string[] {
  return [PROGRAM, ...parameters];
}

/** An environment in which nothing says where a gateway is, but what is given. */
export function cliEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { HOLDPOINT_URL: _url, NO_COLOR: _color, FORCE_COLOR: _force, ...environment } = process.env;
  return { ...environment, ...more };
}

export interface CliOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingFolder?: string;
  /** What comes on standard input. Default: nothing. */
  readonly input?: string;
}

export interface CliResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `holdpoint` in a process of its own, from the sources, with pipes for its input and output. */
export class CliProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  private readonly ended: Promise<number | null>;

  constructor(parameters: readonly string[], { environment, workingFolder, input = '' }: CliOptions = {}) {
    const child = spawn(process.execPath, cliCommand(parameters), {
      env: cliEnvironment(environment),
      ...(workingFolder === undefined ? {} : { cwd: workingFolder }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(input);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child = child;
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  }

  /** Waits for its end; after a minute it is killed and the test fails with what it printed. */
  async end(): Promise<CliResult> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), DEADLINE_MS);
    const exitCode = await this.ended;
    clearTimeout(timer);
    if (exitCode === null) {
      throw new Error(`It did not end by itself:\n${this.stdout}\n${this.stderr}`);
    }
    return { exitCode, stdout: this.stdout, stderr: this.stderr };
  }
}

/** Runs a command to its end. */
export function runCli(parameters: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return new CliProcess(parameters, options).end();
}
