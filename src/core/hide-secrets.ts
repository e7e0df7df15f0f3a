/** What must not be shown, each with what stands in its place. Order matters: wider patterns come first. */
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

/** A text without what looks like a secret. Slow on megabytes: cut first. */
export function hideSecrets(text: string): string {
  return SECRETS.reduce((shown, [pattern, replacement]) => shown.replace(pattern, replacement), text);
}
