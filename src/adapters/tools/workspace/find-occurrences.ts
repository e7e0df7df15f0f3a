/**
 * The places where a text occurs in another one, from left to right, also where two of them overlap. Takes time in
 * proportion to both lengths whatever they hold (Knuth, Morris and Pratt): the search that comes with the language
 * takes their product for some texts, which would hold up the whole process for minutes.
 *
 * @param wanted Not empty.
 */
export function findOccurrences(text: string, wanted: string): readonly number[] {
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    matched = advance(wanted, borders, matched, text.charCodeAt(index));
    if (matched === wanted.length) {
      found.push(index + 1 - matched);
      matched = borders[matched - 1] ?? 0;
    }
  }
  return found;
}

/** For each length of a beginning of the text: the longest shorter beginning that is also its end. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let matched = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    matched = advance(wanted, borders, matched, wanted.charCodeAt(index));
    borders[index] = matched;
  }
  return borders;
}

/** How much of the wanted text has been seen after one more character. */
function advance(wanted: string, borders: Int32Array, matched: number, character: number): number {
  let length = matched;
  while (length > 0 && wanted.charCodeAt(length) !== character) {
    length = borders[length - 1] ?? 0;
  }
  return wanted.charCodeAt(length) === character ? length + 1 : length;
}
