import { errorText, redactDetail } from '../../../src/activities/redact-detail';

test.each([
  ['Authorization: Bearer abcdefgh12345678', 'abcdefgh'],
  ['api_key=0123456789abcdef is wrong', '0123456789'],
  ['{"password":"hunter22"}', 'hunter22'],
  ['https://user:pass@host/path', 'user:pass'],
  ['key sk-abcdefghijklmnop1234', 'abcdefghijk'],
  ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'eyJhbGci'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----', 'MIIE'],
])('%s loses its secret', (text, secret) => {
  expect(redactDetail(text)).not.toContain(secret);
});

test('what is left is one short line of well-formed text', () => {
  const detail = redactDetail(`a\n\tb \ud800 ${'x'.repeat(10_000)}`);

  expect(detail).toMatch(/^a b \uFFFD x+…$/);
  expect(detail).toHaveLength(500);
});

test('any thrown value has a text', () => {
  expect(errorText(new TypeError('no'))).toBe('TypeError: no');
  expect(errorText('plain')).toBe('plain');
  expect(errorText(Object.create(null))).toBe('an error that can not be shown');
});
