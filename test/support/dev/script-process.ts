import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const REPOSITORY = resolve(__dirname, '../../..');

/** A script of this folder that runs as a process of its own, in its own process group. */
export interface ScriptProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The first line it printed. Rejects when it ends without one. */
  readonly firstLine: Promise<string>;
  /** SIGKILL to its whole process group, as `kill -9` of a terminal job does; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts `test/support/dev/<name>.ts`, as another user when one is given; the test must end it with `kill`. */
export function startScript(name: string, args: readonly string[], userId?: number): ScriptProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, `${name}.ts`), ...args], {
    cwd: REPOSITORY,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(userId === undefined ? {} : { uid: userId, gid: userId }),
  });
  const { pid, stdout } = child;
  if (pid === undefined) {
    throw new Error(`cannot start ${name}`);
  }
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const firstLine = new Promise<string>((done, fail) => {
    createInterface({ input: stdout }).once('line', done);
    void exited.then(() => fail(new Error(`${name} ended without a line`)));
  });
  firstLine.catch(() => undefined);
  return {
    child,
    pid,
    firstLine,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        process.kill(-pid, 'SIGKILL');
      }
      await exited;
    },
  };
}
