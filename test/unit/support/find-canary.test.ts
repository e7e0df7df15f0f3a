import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { CANARY, canary, findCanary } from '../../support/find-canary';

const TEXT = JSON.stringify({ v: 1, text: canary('here') });
const around = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 1, 2, 3, 4, 5]), bytes, Buffer.from([9, 0])]);

test.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-16, little-endian', Buffer.from(TEXT, 'utf16le')],
  ['UTF-16, big-endian', Buffer.from(TEXT, 'utf16le').swap16()],
  ['hex', Buffer.from(Buffer.from(TEXT).toString('hex'))],
  ['hex in capitals', Buffer.from(Buffer.from(TEXT).toString('hex').toUpperCase())],
  ['JSON escapes', Buffer.from(TEXT.replace('K', '\\u004b'))],
  ['gzip', gzipSync(TEXT)],
  ['zlib', deflateSync(TEXT)],
  ['gzip in base64', Buffer.from(gzipSync(TEXT).toString('base64'))],
  ['base64 in base64', Buffer.from(Buffer.from(Buffer.from(TEXT).toString('base64')).toString('base64'))],
  ['JSON in base64 in JSON', Buffer.from(JSON.stringify({ data: Buffer.from(TEXT).toString('base64') }))],
])('a canary is found as %s, with other bytes around it', (_form, bytes) => {
  expect(findCanary(around(bytes))).not.toEqual([]);
});

test.each([
  ['raw deflate', deflateRawSync(TEXT)],
  ['brotli', brotliCompressSync(TEXT)],
])('a canary is found as %s when it is all there is', (_form, bytes) => {
  expect(findCanary(bytes)).not.toEqual([]);
});

test.each([0, 1, 2, 3, 4, 5])('a canary is found in base64 behind %d other characters, in both alphabets', (count) => {
  const bytes = Buffer.from(`${'x'.repeat(count)}${CANARY}?>`);
  for (const encoding of ['base64', 'base64url'] as const) {
    // Short of the run that is decoded as a whole, so that only the characters themselves can be found.
    expect(findCanary(Buffer.from(` ${bytes.toString(encoding)} `))).not.toEqual([]);
  }
});

test('nothing is found where no canary is', () => {
  const others = [TEXT.replaceAll(CANARY, 'Kanarie8f3eQz'), 'x'.repeat(1_000), CANARY.slice(1, -3)];
  const forms = others.flatMap((text) => [Buffer.from(text), gzipSync(text), Buffer.from(btoa(text))]);
  expect(forms.flatMap((bytes) => findCanary(around(bytes)))).toEqual([]);
});
