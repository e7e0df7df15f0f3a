const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The text with every lone surrogate replaced by U+FFFD: stores and providers refuse text that is not well formed. */
export function wellFormedText(text: string): string {
  return text.replace(LONE_SURROGATE, '\uFFFD');
}
