import { errorCodeOf, isHoldpointError } from '../core/errors';
import { adviceFor } from './advice';
import { exitCodeOf } from './exit-codes';
import { foreignLines } from './text/foreign-text';
import { jsonText } from './text/json-text';

/**
 * Says why a command failed and what to do next, and sets the exit code. What is not our own error keeps its stack: it
 * is a bug.
 *
 * @param isJson One JSON document on standard error instead of sentences.
 */
export function reportFailure(error: unknown, isJson = false): void {
  process.exitCode = exitCodeOf(error);
  const advice = adviceFor(errorCodeOf(error));
  if (isJson) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${jsonText({ error: { code: errorCodeOf(error), message, advice } })}\n`);
    return;
  }
  const text = isHoldpointError(error)
    ? `${error.message} (${error.code})`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  const lines = [`holdpoint: ${text}`, ...(advice === undefined ? [] : [advice])].flatMap(foreignLines);
  process.stderr.write(`${lines.join('\n')}\n`);
}
