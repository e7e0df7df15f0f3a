import { capText } from '../../../src/activities/cap-text';

test('a text within the cap stays as it is', () => {
  expect(capText('\u20ac', 3)).toEqual({ text: '\u20ac', isCut: false, sizeBytes: 3 });
});

test('the marker counts towards the cap and names the whole size', () => {
  const { text, sizeBytes } = capText('x'.repeat(1_000), 100);

  expect(Buffer.byteLength(text)).toBe(100);
  expect(text.endsWith('\n[cut: the whole output has 1000 bytes]')).toBe(true);
  expect(sizeBytes).toBe(1_000);
});

test.each(['\u00e9', '\u20ac', '\u{1f600}', 'e\u0301'])('no cap ever splits the character %s', (character) => {
  const whole = character.repeat(100);
  for (let cap = 50; cap < 120; cap += 1) {
    const { text } = capText(whole, cap);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(cap);
    expect(text).not.toMatch(/\uFFFD|\p{Surrogate}/u);
    const shown = text.slice(0, text.indexOf('\n'));
    expect(whole.startsWith(shown)).toBe(true);
  }
});

test('a cap smaller than the marker shows the start of the marker', () => {
  expect(capText('x'.repeat(100), 5).text).toBe('[cut:');
  expect(capText('x'.repeat(100), 0).text).toBe('');
});
