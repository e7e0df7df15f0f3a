/** One execution of a session's workflow, between two continue-as-news, as Temporal knows it. */
export interface RunDescription {
  readonly runId: string;
  /**
   * As Temporal names it, for example `RUNNING` or `TIMED_OUT`; `TERMINATED_FOR_SIZE` when no operator ended it,
   * `TERMINATED_BY_NEXT_RUN` when a start took its place.
   */
  readonly status: string;
  /** The first run of the chain it belongs to; runs of a reset share it. */
  readonly firstRunId: string | undefined;
  /** The run that goes on with it, when it continued as new. */
  readonly continuedAs?: string;
}

/** How Temporal says who terminated a run, and why. */
export interface RunTermination {
  readonly reason: string;
  readonly identity: string;
}

const STOPPED: readonly string[] = ['TERMINATED', 'TERMINATED_BY_NEXT_RUN', 'CANCELLED'];
/** Who the server says it is when it ends a run by itself. */
const SERVER_IDENTITY = 'history-service';
/** It gives other reasons under that name, for example that a parent closed; those go back to somebody's wish. */
const SIZE_REASON = /\bexceeds? (?:\w+ )*limit\b|^GrpcMessageTooLarge$/;

/** It says so when a start takes the place of a run, as a child does whose parent was reset. */
const REPLACED_REASON = /^TerminateIfRunning\b/;

/**
 * True when somebody terminated or cancelled a run: whoever did it meant it, so its turn is over and its session waits
 * for the next message.
 */
export function isStoppedByOperator(status: string): boolean {
  return STOPPED.includes(status);
}

/** The status of a terminated run: one that the server ended for its size was wanted by nobody, and is carried on. */
export function statusOfTerminated({ reason, identity }: RunTermination): string {
  if (identity !== SERVER_IDENTITY) {
    return 'TERMINATED';
  }
  if (REPLACED_REASON.test(reason)) {
    return 'TERMINATED_BY_NEXT_RUN';
  }
  return SIZE_REASON.test(reason) ? 'TERMINATED_FOR_SIZE' : 'TERMINATED';
}
