import { hideSecrets } from '../core/hide-secrets';
import { wellFormedText } from '../core/well-formed-text';

const MAX_CHARACTERS = 500;

/** The text of an error as the log may keep it: short, on one line, without what looks like a secret. */
export function redactDetail(text: string): string {
  // Cut before and after: patterns on megabytes are slow, and replacements may lengthen.
  const line = hideSecrets(text.slice(0, 4 * MAX_CHARACTERS))
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return wellFormedText(line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1)}…` : line);
}

/** The text of any thrown value. Never throws. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'an error that can not be shown';
  }
}
