import { execFile } from 'node:child_process';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandOptions {
  readonly environment: Environment;
  /** After this the command is killed and counts as failed. */
  readonly timeoutMs: number;
  /** Kills the command too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a short command without a shell and returns what it printed to standard output. Throws an Error that says in one
 * line why it failed: not found, timed out, or what it printed last.
 */
export async function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const settings = {
      env: options.environment as NodeJS.ProcessEnv,
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL' as const,
      encoding: 'utf8' as const,
      signal: options.signal,
    };
    execFile(file, args, settings, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      reject(new Error(describeFailure(file, error, stderr, options.timeoutMs)));
    });
  });
}

function describeFailure(
  file: string,
  error: Error & { code?: unknown; killed?: boolean },
  stderr: string,
  timeoutMs: number,
): string {
  if (error.code === 'ENOENT') {
    return `${file} not found`;
  }
  if (error.killed) {
    return `${file} gave no answer within ${timeoutMs} ms`;
  }
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const lastError = lines.findLast((line) => line.startsWith('ERROR')) ?? lines.at(-1);
  return lastError?.trim() ?? `${file} failed (${String(error.code ?? error.message)})`;
}
