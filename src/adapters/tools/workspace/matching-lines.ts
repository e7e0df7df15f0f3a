/** Longest part of a line that is shown. */
const MAX_LINE_CHARACTERS = 200;
/** What is shown before a match when a line is shortened. */
const CHARACTERS_BEFORE = 60;
const SHORTENED = '…';

/** A line that holds what was searched for. */
export interface MatchingLine {
  /** Counted from 1. */
  readonly line: number;
  /** The line without its end; of a long one about 200 characters around the first match, with `…` where it goes on. */
  readonly text: string;
}

/**
 * A pattern that finds a text as it is written, or with letters in any case. Nothing in it repeats, so that it takes at
 * most the product of both lengths: a second for the longest text and the largest file that are searched.
 */
export function patternOfText(text: string, options: { readonly ignoreCase: boolean }): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), options.ignoreCase ? 'giu' : 'gu');
}

/** The lines of a text that a pattern of `patternOfText` finds, each once, in order. */
export function* matchingLines(text: string, pattern: RegExp): Generator<MatchingLine> {
  let line = 1;
  let counted = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = text.lastIndexOf('\n', match.index) + 1;
    const end = text.indexOf('\n', match.index);
    line += lineEndsBetween(text, counted, start);
    counted = start;
    const whole = text.slice(start, end === -1 ? text.length : end);
    yield { line, text: shortened(whole.replace(/\r$/, ''), match.index - start) };
    if (end === -1) {
      return;
    }
    pattern.lastIndex = end;
  }
}

function lineEndsBetween(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}

function shortened(line: string, matchAt: number): string {
  if (line.length <= MAX_LINE_CHARACTERS) {
    return line;
  }
  const from = Math.max(0, Math.min(matchAt - CHARACTERS_BEFORE, line.length - MAX_LINE_CHARACTERS));
  const to = from + MAX_LINE_CHARACTERS;
  // Half a character at either end is left out.
  const part = line.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${from > 0 ? SHORTENED : ''}${part}${to < line.length ? SHORTENED : ''}`;
}
