import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { plainEnvironment, runProgram } from './run-program';

const READY_TIMEOUT_MS = 90_000;

/** `npx holdpoint dev` in a project that has installed the package, in a process group of its own. */
export class InstalledDev {
  url = '';
  private readonly folder: string;
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];

  private constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.child = spawn('npx', ['--no', '--', 'holdpoint', 'dev'], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...plainEnvironment(), HOLDPOINT_PORT: '0', ...environment },
    });
  }

  /** Resolves when it says that it is ready; rejects with all it printed when it ends before. */
  static async start(folder: string, environment: Readonly<Record<string, string>>): Promise<InstalledDev> {
    const dev = new InstalledDev(folder, environment);
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why}:\n${dev.lines.join('\n')}`));
      setTimeout(() => fail('not ready in time'), READY_TIMEOUT_MS).unref();
      dev.child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
      for (const stream of [dev.child.stdout, dev.child.stderr]) {
        createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
          dev.lines.push(line);
          const ready = /^holdpoint ready at (\S+)$/.exec(line);
          if (ready !== null) {
            dev.url = ready[1] ?? '';
            resolve();
          }
        });
      }
    });
    return dev;
  }

  /** Ctrl-C, then what a process that did not obey it has left. */
  async stop(): Promise<void> {
    if (this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      process.kill(-this.child.pid, 'SIGINT');
      await gone;
    }
    await runProgram('npx', ['--no', '--', 'holdpoint', 'stop'], { folder: this.folder });
  }
}
