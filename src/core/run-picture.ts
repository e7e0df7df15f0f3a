/** The newest run of a session as Temporal sees it from outside; nothing of it needs a worker. Times are ISO 8601. */
export interface RunPicture {
  /** As Temporal names it, for example `RUNNING` or `TIMED_OUT`. */
  readonly status: string;
  readonly runId: string;
  readonly taskQueue: string;
  readonly startedAt: string | null;
  readonly historyEvents: number;
  readonly activities: readonly PendingActivity[];
  /** A task of the workflow that no worker has finished yet. More than one attempt: it fails, or its workers die. */
  readonly workflowTask: { readonly scheduledAt: string | null; readonly attempt: number } | null;
}

/** An activity that is under way or waits to be tried (again). */
export interface PendingActivity {
  /** Its type: `callModel`, `settleCall` or `tool.<name>`. */
  readonly type: string;
  /** True while an attempt runs, as far as Temporal knows. */
  readonly isStarted: boolean;
  /** The attempt that runs, or the next one; from 1. */
  readonly attempt: number;
  readonly scheduledAt: string | null;
  readonly startedAt: string | null;
  readonly heartbeatAt: string | null;
  /** When the next attempt is due, while it is put off. */
  readonly nextAttemptAt: string | null;
  /** Error code of the attempt before. */
  readonly failedBy: string | null;
}

/** Somebody who asks for tasks of the task queue. */
export interface Poller {
  readonly identity: string;
  /** When it asked last: a poll lasts up to a minute, and Temporal remembers it for five. */
  readonly lastAccessAt: string | null;
}
