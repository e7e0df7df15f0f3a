import { ERROR_CODES, type ErrorCode, HoldpointError } from '../../../src/core/errors';
import { toProblem } from '../../../src/gateway/problem-details';
import { readProjectFile } from './project-files';

interface DocumentedCode {
  readonly retryable: boolean;
  /** HTTP status, or null for a code that never crosses HTTP. */
  readonly status: number | null;
}

/** The rows of docs/errors.md. */
function documentedCodes(): Record<string, DocumentedCode> {
  const rows = [...readProjectFile('docs/errors.md').matchAll(/^\| `([a-z_]+)` \| (-|\d{3}) \| (yes|no) \|/gm)];
  return Object.fromEntries(
    rows.map(([, code, status, retry]) => [
      code,
      { retryable: retry === 'yes', status: status === '-' ? null : Number(status) },
    ]),
  );
}

/** The status a client sees with a code; a code that HTTP does not know is told as `internal`. */
function statusOf(code: ErrorCode): number | null {
  const problem = toProblem(new HoldpointError(code, 'a message'));
  return problem.code === code ? problem.status : null;
}

test('docs/errors.md lists every code, no other, its HTTP status, and whether a repeat may help', () => {
  const inCode = Object.entries(ERROR_CODES).map(([code, { retryable }]) => [
    code,
    { retryable, status: statusOf(code as ErrorCode) },
  ]);
  expect(documentedCodes()).toEqual(Object.fromEntries(inCode));
});
