/** The names every provider accepts. */
const TOOL_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** The rule in words, for faults. */
export const TOOL_NAME_RULE = 'a letter, then at most 63 letters, digits, _ or -';

/** True for a string that may name a tool. */
export function isToolName(value: unknown): value is string {
  return typeof value === 'string' && TOOL_NAME.test(value);
}
