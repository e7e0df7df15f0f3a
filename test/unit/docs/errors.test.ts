import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../../src/core/errors';

/** The rows of docs/errors.md: code, and whether a repeat may help. */
function documentedCodes(): Record<string, boolean> {
  const text = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'errors.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z_]+)` \| (?:-|\d{3}) \| (yes|no) \|/gm)];
  return Object.fromEntries(rows.map((row) => [String(row[1]), row[2] === 'yes']));
}

test('docs/errors.md lists every code of the program, no other, and says truly whether a repeat may help', () => {
  const inCode = Object.fromEntries(Object.entries(ERROR_CODES).map(([code, { retryable }]) => [code, retryable]));
  expect(documentedCodes()).toEqual(inCode);
});
