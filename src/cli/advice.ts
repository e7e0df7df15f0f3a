import type { ErrorCode } from '../core/errors';

const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  gateway_unreachable: 'Start one with `holdpoint dev`, or name its address with --url or HOLDPOINT_URL.',
  unknown_session: 'See `holdpoint sessions list`.',
  unknown_agent: 'An agent is known once a worker that has it is up; see `holdpoint doctor`.',
  unknown_approval: 'See `holdpoint approvals list --status all`.',
  not_blocked: 'See `holdpoint sessions explain`; --force repairs it all the same.',
  session_exists: 'Send to it with `holdpoint sessions send`, or take another id.',
  temporal_unavailable: 'Messages and decisions are kept and delivered later; try again when Temporal is back.',
  store_unavailable: 'Nothing was lost. Try again when the database is back.',
  too_many_streams: 'Close another watcher, or try again.',
  route_not_found: 'The gateway is older than this command line, or the address is not that of a gateway.',
  host_not_allowed: 'Name the gateway by the address it announces.',
  port_in_use: 'Set HOLDPOINT_PORT to another port, or end what listens there.',
  file_exists: 'Name another folder: `holdpoint init FOLDER`.',
  folder_in_use: 'Stop it with `holdpoint stop`, or set HOLDPOINT_HOME to another folder.',
};

/** What to do next about an error, as a sentence; undefined where its message says all there is. */
export function adviceFor(code: ErrorCode): string | undefined {
  return ADVICE[code];
}
