const WHOLE = new Intl.NumberFormat('en-US');

/** A count with its noun: `1 line`, `1,024 lines`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${WHOLE.format(count)} ${count === 1 ? one : many}`;
}

/** The true size of a text: `4 lines, 512 characters`; without the lines when it is one. */
export function sizeText(text: string): string {
  const lines = countBreaks(text) + 1;
  const characters = countText(countCharacters(text), 'character');
  return lines === 1 ? characters : `${countText(lines, 'line')}, ${characters}`;
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}

/** Code points: what people would call characters, as far as a computer can tell cheaply. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}
