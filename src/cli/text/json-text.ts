import { replaceUnseen } from '../../core/display/visible-text';

/**
 * A value as one line of JSON that a terminal may be given: what can't be seen stands in it as an escape such as
 * `\u202e`, so nothing is lost and nothing drives the terminal.
 */
export function jsonText(value: unknown): string {
  // Outside strings this JSON has nothing that can't be seen, so every escape stands inside one.
  return replaceUnseen(JSON.stringify(value), (unseen) => (unseen.startsWith(' ') ? unseen : escaped(unseen)));
}

function escaped(unseen: string): string {
  return unseen
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
