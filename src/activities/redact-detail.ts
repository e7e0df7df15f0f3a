import { wellFormedText } from '../core/well-formed-text';

const MAX_CHARACTERS = 500;

/** What must not be kept, each with what stands in its place. Order matters: wider patterns come first. */
const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, '(key)'],
  [/\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}/gi, '$1 (hidden)'],
  [/\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,2}/g, '(token)'],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1(hidden)@'],
  [/\b(?:sk|pk|rk|ghp|gho|ghs|xox[abprs]|AKIA|AIza|glpat)[-_]?[A-Za-z0-9_-]{12,}/g, '(key)'],
  [
    /((?:api[-_ ]?key|access[-_ ]?key|token|secret|password|passwd|authorization)["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi,
    '$1(hidden)',
  ],
];

/** The text of an error as the log may keep it: short, on one line, without what looks like a secret. */
export function redactDetail(text: string): string {
  // Cut before and after: patterns on megabytes are slow, and replacements may lengthen.
  let detail = text.slice(0, 4 * MAX_CHARACTERS);
  for (const [pattern, replacement] of SECRETS) {
    detail = detail.replace(pattern, replacement);
  }
  const line = detail.replace(/[\p{Cc}\s]+/gu, ' ').trim();
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
