export type LineKind = 'added' | 'removed' | 'place' | 'same' | 'other';

/** What the lines of a unified difference are, by their sign. */
const KINDS: Readonly<Record<string, LineKind>> = { '+': 'added', '-': 'removed', '@': 'place', ' ': 'same' };

/**
 * Where the changes of a unified difference begin: the number of the line after its two file names. Undefined for any
 * other text, in which a plus or a minus at the start of a line says nothing.
 */
export function firstChangedLine(preview: string): number | undefined {
  const names = /^--- .*\n\+\+\+ .*(?:\n|$)/m.exec(preview);
  return names === null ? undefined : preview.slice(0, names.index + names[0].length).split('\n').length - 1;
}

/** What a line is that stands among the changes. */
export function kindOfLine(line: string): LineKind {
  return KINDS[line.charAt(0)] ?? 'other';
}
