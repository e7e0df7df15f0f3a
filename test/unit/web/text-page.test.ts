import { FOLDED, FULL_PAGE, type PageLimit, textPage } from '../../../web/text/text-page';
import { seededRandom } from '../../support/seeded-random';

/** The whole text, read page by page. */
function readAll(text: string, limit: PageLimit): string {
  let read = '';
  for (let start: number | null = 0; start !== null; ) {
    const page = textPage(text, start, limit);
    for (const { parts, hasBreak } of page.lines) {
      read +=
        parts.map((part) => (part.kind === 'text' ? part.text : unmark(part.label))).join('') + (hasBreak ? '\n' : '');
    }
    expect(page.nextStart ?? Number.POSITIVE_INFINITY).toBeGreaterThan(start);
    start = page.nextStart;
  }
  return read;
}

function unmark(label: string): string {
  const spaces = /^\[(\d+) spaces\]$/.exec(label);
  if (spaces !== null) {
    return ' '.repeat(Number(spaces[1]));
  }
  return label === '[tab]' ? '\t' : String.fromCodePoint(Number.parseInt(label.slice(3, -1), 16));
}

test('pages put together are the text, whatever is in it', () => {
  const random = seededRandom(7);
  const pieces = ['a', 'word ', '\n', '\n\n', '\u202e', '\u200b', '\t', '          ', '😀', '\r\n', 'x'.repeat(300)];
  for (let round = 0; round < 200; round += 1) {
    const count = Math.floor(random() * 40);
    const text = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    expect(readAll(text, { characters: 1 + Math.floor(random() * 100), lines: 1 + Math.floor(random() * 5) })).toBe(
      text,
    );
    expect(readAll(text, FULL_PAGE)).toBe(text);
  }
});

test('a short text is one page, without anything left', () => {
  expect(textPage('a\nb', 0, FOLDED)).toMatchObject({
    lines: [{ hasBreak: true }, { hasBreak: false }],
    nextStart: null,
  });
});

test('a long text is folded after four lines or 400 characters', () => {
  expect(textPage('1\n2\n3\n4\n5', 0, FOLDED)).toMatchObject({ lines: { length: 4 }, nextStart: 8 });
  expect(textPage('x'.repeat(401), 0, FOLDED).nextStart).toBe(400);
});

test('a page ends before a line that fits into the next one', () => {
  expect(textPage('aaaa\nbbbb\ncccc', 0, { characters: 7, lines: 9 }).nextStart).toBe(5);
  expect(textPage(`a\n${'b'.repeat(20)}`, 0, { characters: 7, lines: 9 }).nextStart).toBe(7);
});

test('a page never ends between the halves of one character', () => {
  expect(textPage('a😀b', 0, { characters: 2, lines: 9 }).nextStart).toBe(3);
});

test('a page of nothing but marks is short', () => {
  expect(textPage('\u200b'.repeat(60_000), 0, FULL_PAGE).nextStart).toBe(2_000);
});
