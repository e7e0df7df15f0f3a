import { isHoldpointError } from '../core/errors';

/** Says in one line why a command failed and sets the exit code. What is not our own error keeps its stack: it is a bug. */
export function reportFailure(error: unknown): void {
  const text = isHoldpointError(error)
    ? `${error.message} (${error.code})`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`holdpoint: ${text}\n`);
  process.exitCode = 1;
}
