import { foreignLine, foreignLines } from '../../../src/cli/text/foreign-text';
import { jsonText } from '../../../src/cli/text/json-text';
import { createStyle } from '../../../src/cli/text/style';
import { tableLines } from '../../../src/cli/text/table';
import { padded, widthOf, wrapLine } from '../../../src/cli/text/wrap-text';

const UNSEEN = 'a\u0000\u001b[31m\u009b\u007f\u202e\u200b\ufeff\u2028\u{e0072}\ud800\u00a0b';

describe('foreign text', () => {
  it('has a mark for everything that can not be seen, and none for anything else', () => {
    expect(foreignLine(UNSEEN)).toBe(
      'a[U+0000][U+001B][31m[U+009B][U+007F][U+202E][U+200B][U+FEFF][U+2028][U+E0072][U+D800][U+00A0]b',
    );
    expect(foreignLine('plain, naïve, 日本語 and {"json": true}')).toBe('plain, naïve, 日本語 and {"json": true}');
  });

  it('is split at line breaks, of which one at the end makes no line', () => {
    expect(foreignLines('a\n\nb\r\n')).toEqual(['a', '', 'b[U+000D]']);
    expect(foreignLines('')).toEqual(['']);
  });
});

describe('JSON', () => {
  it.each<[string, unknown]>([
    ['a text', UNSEEN],
    ['an object', { [UNSEEN]: [UNSEEN, null, 1.5, true] }],
    ['a picture', '\ud83d\ude00 日本語'],
    ['many spaces', ' '.repeat(40)],
    ['nothing', {}],
  ])('of %s has nothing in it that can not be seen, and says the same', (_what, value) => {
    const text = jsonText(value);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe('wrapping', () => {
  it('breaks behind spaces, leaves nothing out and fits', () => {
    const line = 'The quick brown fox jumps over the lazy dog, again and again and again.';
    const lines = wrapLine(line, 24, '  ');
    expect(lines.map(widthOf).every((width) => width <= 24)).toBe(true);
    expect(lines.map((part, index) => (index === 0 ? part : part.slice(2))).join('')).toBe(line);
    expect(lines.slice(1).every((part) => part.startsWith('  '))).toBe(true);
  });

  it('counts columns, not characters: wide characters take two, accents and colours none', () => {
    expect(widthOf('日本語')).toBe(6);
    expect(widthOf('e\u0301')).toBe(1);
    expect(widthOf('\u001b[31mred\u001b[39m')).toBe(3);
    const lines = wrapLine('日'.repeat(50), 21);
    expect(lines.map(widthOf)).toEqual([20, 20, 20, 20, 20]);
    expect(padded('日本', 6)).toBe('日本  ');
  });

  it('breaks a word that is longer than a line, and a megabyte in no time that a person would notice', () => {
    const word = 'x'.repeat(1_000_000);
    const lines = wrapLine(word, 100);
    expect(lines).toHaveLength(10_000);
    expect(lines.join('')).toBe(word);
  });

  it('leaves a line whole where no width is known', () => {
    expect(wrapLine('x'.repeat(500), undefined)).toEqual(['x'.repeat(500)]);
  });
});

describe('tables', () => {
  const rows = [
    ['a', '日本', 'first'],
    ['longer', 'b', 'second and a long text that does not fit'],
  ];

  it('have columns as wide as their widest cell', () => {
    expect(tableLines(['one', 'two', 'three'], rows, undefined)).toEqual([
      'one     two   three',
      'a       日本  first',
      'longer  b     second and a long text that does not fit',
    ]);
  });

  it('wrap the last column, and cut nothing', () => {
    const lines = tableLines(['one', 'two', 'three'], rows, 36);
    expect(lines.map(widthOf).every((width) => width <= 36)).toBe(true);
    expect(
      lines
        .slice(2)
        .map((line) => line.slice(14))
        .join(' '),
    ).toBe('second and a long text that does not fit');
  });
});

describe('colours', () => {
  const isColoured = (isTerminal: boolean, environment: Readonly<Record<string, string>>) =>
    createStyle({ isTerminal, environment })('bad', 'x') !== 'x';

  it('are for terminals only, and not where NO_COLOR is set', () => {
    expect(isColoured(true, {})).toBe(true);
    expect(isColoured(true, { NO_COLOR: '' })).toBe(true);
    expect(isColoured(true, { NO_COLOR: '1' })).toBe(false);
    expect(isColoured(true, { TERM: 'dumb' })).toBe(false);
    expect(isColoured(false, {})).toBe(false);
  });
});
