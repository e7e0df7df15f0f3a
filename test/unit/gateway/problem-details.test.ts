import { ERROR_CODES, type ErrorCode, HoldpointError } from '../../../src/core/errors';
import { toProblem } from '../../../src/gateway/problem-details';

/** Statuses of design section 6 and of plain HTTP; what is not listed is a fault of the server. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  malformed_json: 400,
  host_not_allowed: 403,
  cross_site_refused: 403,
  not_allowed: 403,
  invalid_signature: 403,
  route_not_found: 404,
  unknown_session: 404,
  unknown_approval: 404,
  position_ahead: 409,
  session_exists: 409,
  session_closed: 409,
  not_blocked: 409,
  idempotency_conflict: 409,
  already_decided: 409,
  superseded: 409,
  digest_mismatch: 409,
  expired: 410,
  cancelled: 410,
  session_erased: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  unknown_agent: 422,
  invalid_start: 422,
  invalid_arguments: 422,
  invalid: 422,
  too_many_streams: 503,
  store_unavailable: 503,
  temporal_unavailable: 503,
};

describe('toProblem', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('answers %s with its status', (code) => {
    const problem = toProblem(new HoldpointError(code, 'what happened'));
    const status = STATUS[code] ?? 500;
    expect(problem.status).toBe(status);
    expect(problem.code).toBe(status === 500 ? 'internal' : code);
    expect(problem.type).toBe(`urn:holdpoint:problem:${problem.code}`);
    expect(problem.title).not.toBe('');
    expect(problem.detail === 'what happened').toBe(status < 500);
  });

  it.each([
    new Error('ENOENT /secret/path'),
    'text',
    undefined,
    { code: 'unknown_session', message: 'x' },
    new HoldpointError('store_unavailable', 'SQLITE_CANTOPEN /secret/path'),
    new HoldpointError('schema_mismatch', '/secret/path'),
  ])('tells nothing of an error that is not for clients', (error) => {
    const text = JSON.stringify(toProblem(error));
    expect(text).not.toMatch(/secret|SQLITE|stack/);
    expect(toProblem(error).status).toBeGreaterThanOrEqual(500);
  });
});
