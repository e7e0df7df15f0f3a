import { countHidden, type TextPart, visibleText } from '../../../src/core/display/visible-text';

function shown(text: string): string {
  return visibleText(text)
    .parts.map((part: TextPart) => (part.kind === 'text' ? part.text : part.label))
    .join('');
}

test('text that can be seen stays as it is', () => {
  for (const text of ['', 'plain', 'naïve café', 'שלום', 'пример', '日本語', '𝒳', 'a  b', '<b>&amp;</b>']) {
    expect(shown(text)).toBe(text);
  }
});

test.each([
  ['a zero byte', '\u0000', '[U+0000]'],
  ['an escape', '\u001b[31m', '[U+001B][31m'],
  ['a C1 control', '\u009b', '[U+009B]'],
  ['delete', '\u007f', '[U+007F]'],
  ['a bidirectional override', 'a\u202egpj.exe', 'a[U+202E]gpj.exe'],
  ['an isolate', '\u2066', '[U+2066]'],
  ['a zero-width space', 'pay\u200bpal', 'pay[U+200B]pal'],
  ['a joiner', '\u200d', '[U+200D]'],
  ['a byte order mark', '\ufeff', '[U+FEFF]'],
  ['a soft hyphen', '\u00ad', '[U+00AD]'],
  ['a tag', '\u{e0041}', '[U+E0041]'],
  ['a variation selector', 'a\ufe0f', 'a[U+FE0F]'],
  ['a supplementary variation selector', '\u{e0100}', '[U+E0100]'],
  ['a filler', '\u3164', '[U+3164]'],
  ['a no-break space', '\u00a0', '[U+00A0]'],
  ['an ideographic space', '\u3000', '[U+3000]'],
  ['a line separator', '\u2028', '[U+2028]'],
  ['a blank pattern', '\u2800', '[U+2800]'],
  ['a private character', '\ue000', '[U+E000]'],
  ['half a character', '\ud800', '[U+D800]'],
  ['a line break where one line is shown', 'a\nb', 'a[U+000A]b'],
  ['a carriage return', 'a\r', 'a[U+000D]'],
])('%s shows as a mark', (_name, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test('tabs and more than eight spaces show as marks that do not count as hidden', () => {
  expect(shown(`a\tb${' '.repeat(9)}c${' '.repeat(8)}d`)).toBe(`a[tab]b[9 spaces]c${' '.repeat(8)}d`);
  expect(countHidden(`a\t${' '.repeat(30)}\n`)).toBe(0);
});

test('hidden characters are counted, line breaks are not', () => {
  expect(countHidden('a\u200b\u202e\nb\u00a0')).toBe(3);
});

test('it stops after as many marks as it was told, and says how far it came', () => {
  expect(visibleText('\u200ba\u200bb\u200bc', 2)).toEqual({
    parts: [
      { kind: 'mark', label: '[U+200B]', isHidden: true },
      { kind: 'text', text: 'a' },
      { kind: 'mark', label: '[U+200B]', isHidden: true },
    ],
    length: 3,
  });
});
