import type { FastifyReply } from 'fastify';
import { type ErrorCode, HoldpointError, isHoldpointError } from '../core/errors';
import type { Problem } from '../core/http-answers';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Said instead of the error's message, which may name files or machines. */
  readonly detail?: string;
}

const INTERNAL: ProblemKind = {
  status: 500,
  title: 'Internal error',
  detail: 'The request could not be handled; the log of the gateway says why.',
};

/** The one place where error codes become HTTP. A code that is not listed is answered as `internal`. */
const PROBLEMS: Partial<Record<ErrorCode, ProblemKind>> = {
  invalid_request: { status: 400, title: 'Invalid request' },
  malformed_json: { status: 400, title: 'Malformed JSON' },
  host_not_allowed: { status: 403, title: 'Host not allowed' },
  cross_site_refused: { status: 403, title: 'Request from another site refused' },
  position_ahead: { status: 409, title: 'Position behind the end of the log' },
  too_many_streams: {
    status: 503,
    title: 'Too many streams',
    detail: 'This gateway serves as many streams as it may; try again later.',
  },
  not_allowed: { status: 403, title: 'Not allowed to decide this' },
  invalid_signature: { status: 403, title: 'Invalid signature' },
  route_not_found: { status: 404, title: 'No such route' },
  unknown_session: { status: 404, title: 'Unknown session' },
  unknown_approval: { status: 404, title: 'Unknown approval' },
  session_exists: { status: 409, title: 'Session exists' },
  session_closed: { status: 409, title: 'Session closed' },
  not_blocked: { status: 409, title: 'Session not blocked' },
  idempotency_conflict: { status: 409, title: 'Same id or key, other content' },
  already_decided: { status: 409, title: 'Already decided' },
  superseded: { status: 409, title: 'Superseded by a new question' },
  digest_mismatch: { status: 409, title: 'Digest of other arguments' },
  expired: { status: 410, title: 'Expired' },
  cancelled: { status: 410, title: 'Cancelled' },
  session_erased: { status: 410, title: 'Session erased' },
  body_too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  unknown_agent: { status: 422, title: 'Unknown agent' },
  invalid_start: { status: 422, title: 'Session can not be started so' },
  invalid_arguments: { status: 422, title: 'Invalid arguments' },
  invalid: { status: 422, title: 'Invalid decision' },
  internal: INTERNAL,
  store_unavailable: {
    status: 503,
    title: 'Store unavailable',
    detail: 'The session store can not be asked right now; try again.',
  },
  temporal_unavailable: {
    status: 503,
    title: 'Temporal unavailable',
    detail: 'The Temporal server can not be asked right now; try again.',
  },
};

/** What a client is told about an error. It never holds a stack, a cause, or the text of an error that is not ours. */
export function toProblem(error: unknown): Problem {
  const known = isHoldpointError(error) ? PROBLEMS[error.code] : undefined;
  const kind = known ?? INTERNAL;
  const code = isHoldpointError(error) && known !== undefined ? error.code : 'internal';
  const message = isHoldpointError(error) ? error.message : '';
  return {
    type: `urn:holdpoint:problem:${code}`,
    title: kind.title,
    status: kind.status,
    code,
    detail: kind.detail ?? message,
  };
}

/** Answers with `problem+json`; `members` go beside the standard ones. */
export function sendProblem(reply: FastifyReply, error: unknown, members: object = {}): FastifyReply {
  const problem = toProblem(error);
  return reply
    .code(problem.status)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify({ ...problem, ...members }));
}

/** A session that does not exist, belongs to somebody else, or has an id no session can have: all look the same. */
export function unknownSession(): HoldpointError {
  return new HoldpointError('unknown_session', 'There is no such session.');
}

/** As `unknownSession`, for approvals. */
export function unknownApproval(): HoldpointError {
  return new HoldpointError('unknown_approval', 'There is no such approval.');
}
