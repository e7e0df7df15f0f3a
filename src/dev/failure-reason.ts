import { types } from 'node:util';

const MAX_CHARACTERS = 300;

/**
 * What went wrong in one line of at most 300 characters, for a message to a person. The cause is preferred, because
 * `fetch` says only "fetch failed" and keeps the reason there.
 */
export function failureReason(error: unknown): string {
  const cause = types.isNativeError(error) && types.isNativeError(error.cause) ? error.cause : error;
  const text = types.isNativeError(cause) ? cause.message || cause.name : String(cause);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
}
