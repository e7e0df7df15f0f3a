import { execFile } from 'node:child_process';

/** How one run of a program may differ. */
export interface ProgramRun {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: two minutes. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What npm hands to the programs it starts, and what speaks about the project this test belongs to. */
const INHERITED = /^(npm_|INIT_CWD$|NODE_OPTIONS$|NODE_ENV$|JEST_|HOLDPOINT_|TEMPORAL_)/;

/** Runs a program to its end, as in a terminal of its own; resolves with what it printed on standard output. */
export function runProgram(program: string, parameters: readonly string[], run: ProgramRun): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: run.folder,
      env: { ...plainEnvironment(), ...run.environment },
      timeout: run.timeoutMs ?? TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    };
    execFile(program, parameters, options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
      } else {
        const what = [program, ...parameters].join(' ');
        reject(new Error(`${what} in ${run.folder}: ${error.message}\n${stdout}\n${stderr}`));
      }
    });
  });
}

/** The environment of this process, without what a test run adds to it. */
export function plainEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !INHERITED.test(name)));
}
