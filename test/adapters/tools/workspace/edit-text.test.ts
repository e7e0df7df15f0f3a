import { editText } from '../../../../src/adapters/tools/workspace/edit-text';
import { findOccurrences } from '../../../../src/adapters/tools/workspace/find-occurrences';
import { seededRandom } from '../../../support/seeded-random';

const edit = (text: string, oldText: string, newText: string, replaceAll = false): string =>
  editText(text, { oldText, newText, replaceAll }, '"a.txt"');

describe('findOccurrences', () => {
  /** The same by the search that comes with the language, one place after the other. */
  function bySearch(text: string, wanted: string): readonly number[] {
    const found: number[] = [];
    for (let place = text.indexOf(wanted); place !== -1; place = text.indexOf(wanted, place + 1)) {
      found.push(place);
    }
    return found;
  }

  it('finds what a plain search finds, overlaps too', () => {
    expect(findOccurrences('aaaa', 'aa')).toEqual([0, 1, 2]);
    const random = seededRandom(7);
    const letters = (length: number): string => Array.from({ length }, () => 'ab'[Math.floor(random() * 2)]).join('');
    for (let round = 0; round < 2_000; round += 1) {
      const text = letters(Math.floor(random() * 40));
      const wanted = letters(1 + Math.floor(random() * 6));
      expect(findOccurrences(text, wanted)).toEqual(bySearch(text, wanted));
    }
  });

  it('ends at once for texts that a plain search takes minutes for', () => {
    const text = 'a'.repeat(4_194_304);
    const half = 'a'.repeat(524_288);
    expect(findOccurrences(text, `${half}b${half}`)).toEqual([]);
  });
});

describe('editText', () => {
  it('replaces the one occurrence, whatever the texts hold', () => {
    expect(edit('one two three', 'two', '2')).toBe('one 2 three');
    expect(edit('a$b', '$', "$&$1$'")).toBe("a$&$1$'b");
    expect(edit('a\u{1f600}b', '\u{1f600}', '')).toBe('ab');
    expect(edit('x', 'x', 'xx')).toBe('xx');
  });

  it('replaces every occurrence from the left when it is told to', () => {
    expect(edit('aaaaa', 'aa', 'b', true)).toBe('bba');
    expect(edit('a b a', 'a', 'aa', true)).toBe('aa b aa');
  });

  it('refuses a text that does not occur', () => {
    for (const replaceAll of [false, true]) {
      expect(() => edit('abc', 'B', 'x', replaceAll)).toThrow('oldText does not occur in "a.txt".');
    }
  });

  it('refuses a text that occurs more than once, and says where', () => {
    expect(() => edit('a\nb\na a\n', 'a', 'x')).toThrow(
      'oldText occurs 3 times in "a.txt", at lines 1, 3, 3. Make it longer, so that it occurs once, or set replaceAll.',
    );
    expect(() => edit('aba', 'aba', 'x')).not.toThrow();
    expect(() => edit('ababa', 'aba', 'x')).toThrow('occurs 2 times');
    expect(() => edit('x\n'.repeat(2_000), 'x', 'y')).toThrow(
      'occurs 2,000 times in "a.txt", at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …',
    );
  });

  it('refuses an edit that changes nothing', () => {
    expect(() => edit('a\n', 'a\n', 'a\r\n')).toThrow('Nothing would change in "a.txt"');
    expect(() => edit('\ufeffa', '\ufeffa', 'a')).toThrow('Nothing would change');
  });

  it.each([
    ['\n', 'a\nb\n', 'a\r\nb', 'x\r\ny', 'x\ny\n'],
    ['\r\n', 'a\r\nb\r\n', 'a\nb', 'x\ny', 'x\r\ny\r\n'],
    ['\r\n', 'a\r\nb\r\n', 'b\r\n', 'b\nc\n', 'a\r\nb\r\nc\r\n'],
  ])('keeps line ends that are all %j', (_kind, text, oldText, newText, expected) => {
    expect(edit(text, oldText, newText)).toBe(expected);
  });

  it('takes line ends as they are where a text has several kinds or none', () => {
    expect(() => edit('a\r\nb\nc', 'a\nb', 'x')).toThrow('does not occur');
    expect(edit('a\r\nb\nc', 'b\n', 'b\r\n')).toBe('a\r\nb\r\nc');
    expect(edit('a', 'a', 'a\r\nb\n')).toBe('a\r\nb\n');
  });

  it('keeps a byte order mark, read along or not', () => {
    expect(edit('\ufeffab', 'a', 'x')).toBe('\ufeffxb');
    expect(edit('\ufeffab', '\ufeffa', 'x')).toBe('\ufeffxb');
    expect(edit('\ufeffab', '\ufeffa', '\ufeffx')).toBe('\ufeffxb');
    expect(edit('ab', 'a', '')).toBe('b');
  });

  it('counts the bytes of the result before it is made', () => {
    expect(edit('a'.repeat(1_048_575), 'a'.repeat(1_048_575), 'b'.repeat(1_048_576))).toHaveLength(1_048_576);
    expect(() => edit('a', 'a', 'ü'.repeat(524_289))).toThrow(
      '"a.txt" would have 1,048,578 bytes; at most 1,048,576 bytes are written at once.',
    );
    expect(() => edit('a'.repeat(1_000_000), 'a', 'b'.repeat(1_000_000), true)).toThrow(
      'would have 1,000,000,000,000 bytes',
    );
  });
});
