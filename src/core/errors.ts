import { isRecord } from './json';

/**
 * Every error holdpoint raises has one of these codes. They are stable: clients, histories and logs compare codes,
 * never messages or classes (`instanceof` does not survive the workflow sandbox, JSON or the network).
 * `retryable` says whether the same request may succeed later without a change. docs/errors.md explains each code;
 * a test compares the two.
 */
export const ERROR_CODES = {
  // What a caller sent
  invalid_request: { retryable: false },
  malformed_json: { retryable: false },
  unsupported_media_type: { retryable: false },
  body_too_large: { retryable: false },
  route_not_found: { retryable: false },
  host_not_allowed: { retryable: false },
  cross_site_refused: { retryable: false },
  position_ahead: { retryable: false },
  too_many_streams: { retryable: true },
  invalid_start: { retryable: false },
  // Sessions
  unknown_session: { retryable: false },
  unknown_agent: { retryable: false },
  session_exists: { retryable: false },
  session_closed: { retryable: false },
  session_erased: { retryable: false },
  not_blocked: { retryable: false },
  idempotency_conflict: { retryable: false },
  // Decisions that were not taken
  unknown_approval: { retryable: false },
  already_decided: { retryable: false },
  expired: { retryable: false },
  cancelled: { retryable: false },
  superseded: { retryable: false },
  digest_mismatch: { retryable: false },
  not_allowed: { retryable: false },
  invalid: { retryable: false },
  invalid_signature: { retryable: false },
  // The session log
  run_mismatch: { retryable: true },
  fenced: { retryable: false },
  log_behind: { retryable: false },
  log_conflict: { retryable: false },
  log_format_newer: { retryable: false },
  schema_mismatch: { retryable: false },
  not_canonical: { retryable: false },
  // Systems around us
  store_unavailable: { retryable: true },
  temporal_unavailable: { retryable: true },
  gateway_unreachable: { retryable: true },
  worker_lost: { retryable: false },
  worker_stopping: { retryable: true },
  internal: { retryable: true },
  // Model calls
  model_rate_limit: { retryable: true },
  model_quota: { retryable: false },
  model_overloaded: { retryable: true },
  model_server_error: { retryable: true },
  model_connection: { retryable: true },
  model_timeout: { retryable: true },
  active_time_over: { retryable: false },
  model_stream_cut: { retryable: true },
  model_empty_response: { retryable: true },
  model_auth: { retryable: false },
  model_not_found: { retryable: false },
  model_invalid_request: { retryable: false },
  model_context_length: { retryable: false },
  model_content_filter: { retryable: false },
  model_unsupported: { retryable: false },
  // Tool calls
  agent_unavailable: { retryable: false },
  unknown_tool: { retryable: false },
  invalid_arguments: { retryable: false },
  tool_denied: { retryable: false },
  tool_refused: { retryable: false },
  tool_failed: { retryable: false },
  tool_timeout: { retryable: false },
  tool_invalid_result: { retryable: false },
  tool_unavailable: { retryable: false },
  definition_not_here: { retryable: true },
  call_busy: { retryable: true },
  call_aborted: { retryable: false },
  call_rejected: { retryable: false },
  outcome_unknown: { retryable: false },
  // Starting up
  invalid_config: { retryable: false },
  invalid_definition: { retryable: false },
  port_in_use: { retryable: false },
  folder_in_use: { retryable: false },
  folder_not_writable: { retryable: false },
  temporal_server_missing: { retryable: false },
  temporal_port_in_use: { retryable: false },
  temporal_start_failed: { retryable: false },
  download_failed: { retryable: true },
  start_interrupted: { retryable: true },
  worker_start_failed: { retryable: false },
  // Tests of agents
  not_as_scripted: { retryable: false },
} as const satisfies Record<string, { readonly retryable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Facts that go with an error; plain JSON, never secrets or text written by a user, a model or a tool. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/** The one base of all errors raised by holdpoint. */
export class HoldpointError extends Error {
  override readonly name = 'HoldpointError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  /**
   * @param message Names the subject and the value; shown to operators, so it holds no secret.
   * @param options `cause` is kept for local logs and never crosses a boundary.
   */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.retryable = ERROR_CODES[code].retryable;
    this.details = details;
  }
}

/** True for an error of ours, also when it was made by a second copy of this module or in another realm. */
export function isHoldpointError(error: unknown): error is HoldpointError {
  return isRecord(error) && error['name'] === 'HoldpointError' && isErrorCode(error['code']);
}

/** True for a string that is one of our codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
}

/** The code of any thrown value; `internal` for what is not ours. */
export function errorCodeOf(error: unknown): ErrorCode {
  return isHoldpointError(error) ? error.code : 'internal';
}
