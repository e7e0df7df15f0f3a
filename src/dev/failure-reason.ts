const MAX_CHARACTERS = 300;

/**
 * What went wrong in one line of at most 300 characters, for a message to a person. The cause is preferred, because
 * `fetch` says only "fetch failed" and keeps the reason there.
 */
export function failureReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message || cause.name : String(cause);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
}
