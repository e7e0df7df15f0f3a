import { firstChangedLine, kindOfLine } from '../../../src/core/display/difference-lines';
import { sizeText } from '../../../web/text/size-text';
import { countHiddenIn } from '../../../web/values/count-hidden-in';
import { isSmall } from '../../../web/values/json-size';

test('a value is small up to 200 values in it, at any depth', () => {
  expect(isSmall(Array(200).fill(0))).toBe(true);
  expect(isSmall(Array(201).fill(0))).toBe(false);
  expect(isSmall({ a: { b: Array(198).fill(0) } })).toBe(true);
  expect(isSmall({ a: { b: Array(199).fill(0) } })).toBe(false);
});

test('a size is told truly', () => {
  expect(sizeText('')).toBe('0 characters');
  expect(sizeText('😀')).toBe('1 character');
  expect(sizeText(`${'x'.repeat(1_500)}\ny`)).toBe('2 lines, 1,502 characters');
});

test('hidden characters are counted in names and texts at any depth', () => {
  expect(countHiddenIn({ 'a\u200b': ['\u202e', { b: '\u0007', c: 1 }], d: 'plain\n' })).toBe(3);
});

test('only a difference has changes, and they begin behind its names', () => {
  expect(firstChangedLine('+ not\n- a difference\n')).toBeUndefined();
  expect(firstChangedLine('--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- x\n+++ y\n')).toBe(2);
  expect(firstChangedLine('New folder: a\n--- /dev/null\n+++ b/x\n+y\n')).toBe(3);
  expect(['+a', '-a', ' a', '@@', '\\ No newline', ''].map(kindOfLine)).toEqual([
    'added',
    'removed',
    'same',
    'place',
    'other',
    'other',
  ]);
});
