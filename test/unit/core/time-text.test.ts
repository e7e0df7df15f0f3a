import { durationText, momentText, utcText } from '../../../src/core/display/time-text';

test.each([
  [-5, '0 s'],
  [400, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [3_599_000, '59 min'],
  [11_520_000, '3 h 12 min'],
  [86_400_000, '24 h 0 min'],
  [3 * 86_400_000 + 3_600_000, '3 days 1 h'],
])('%d milliseconds are %s', (durationMs, expected) => {
  expect(durationText(durationMs)).toBe(expected);
});

test('a moment says its distance from UTC, and its date when it is not today', () => {
  const iso = new Date(2026, 4, 3, 14, 6, 59).toISOString();
  expect(momentText(iso, new Date(2026, 4, 3, 23, 59).getTime())).toMatch(/^14:06 \([+-]\d\d:\d\d\)$/);
  expect(momentText(iso, new Date(2026, 4, 4, 0, 1).getTime())).toMatch(/^2026-05-03 14:06 \([+-]\d\d:\d\d\)$/);
  expect(utcText('2026-05-03T14:06:59.123Z')).toBe('2026-05-03 14:06:59 UTC');
});
