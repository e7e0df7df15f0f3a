import { type ErrorCode, errorCodeOf } from '../core/errors';

/** What a command's exit code says. They are stable; docs/cli.md explains them. */
export const EXIT_CODES = {
  done: 0,
  /** The turn did not end as `completed`, a check found a fault, or something broke. */
  failed: 1,
  /** The command was not understood, or lacks something. Nothing was sent. */
  usage: 2,
  notFound: 3,
  /** The gateway refused it, or the decision was not used. */
  refused: 4,
  unreachable: 5,
  /** It is stored, and has not taken effect yet. */
  unsettled: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

const BY_ERROR: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  invalid_request: EXIT_CODES.usage,
  body_too_large: EXIT_CODES.usage,
  position_ahead: EXIT_CODES.usage,
  unknown_session: EXIT_CODES.notFound,
  unknown_agent: EXIT_CODES.notFound,
  unknown_approval: EXIT_CODES.notFound,
  session_erased: EXIT_CODES.notFound,
  route_not_found: EXIT_CODES.notFound,
  session_exists: EXIT_CODES.refused,
  session_closed: EXIT_CODES.refused,
  idempotency_conflict: EXIT_CODES.refused,
  host_not_allowed: EXIT_CODES.refused,
  not_allowed: EXIT_CODES.refused,
  already_decided: EXIT_CODES.refused,
  not_blocked: EXIT_CODES.refused,
  file_exists: EXIT_CODES.refused,
  gateway_unreachable: EXIT_CODES.unreachable,
  store_unavailable: EXIT_CODES.unreachable,
  temporal_unavailable: EXIT_CODES.unreachable,
  too_many_streams: EXIT_CODES.unreachable,
};

/** The exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): ExitCode {
  return BY_ERROR[errorCodeOf(error)] ?? EXIT_CODES.failed;
}
