import type { RunPicture } from './run-picture';
import type { EntryFact } from './session-facts';
import type { SessionStatus } from './sessions';

/** Answer to `GET /v1/sessions/:id/explain`: where a session is, what it waits for, and the facts behind. */
export interface SessionExplanation {
  readonly sessionId: string;
  readonly status: SessionStatus;
  /** The same in plain sentences. */
  readonly summary: string;
  /** What stands in the way first comes first; never empty. */
  readonly waitsFor: readonly Wait[];
  /** The end of the log, ascending; what the entries hold is read from `GET /v1/sessions/:id/entries`. */
  readonly lastEntries: readonly EntryFact[];
  /** What Temporal says; null when it can't be asked. */
  readonly temporal: TemporalFacts | null;
}

/**
 * `repair` an operator who repairs a blocked session · `temporal`, `store` a system that does not answer · `worker` one
 * that takes work · `operator` the next message, since somebody ended the workflow · `workflow` the workflow itself ·
 * `delivery` a stored message that Temporal was not told of · `decision` a person · `answer` a stored decision that
 * nobody has taken · `model`, `tool` a call that runs or is tried again · `lease` a write that has begun · `message` the
 * next message.
 */
export type WaitKind =
  | 'repair'
  | 'temporal'
  | 'store'
  | 'worker'
  | 'operator'
  | 'workflow'
  | 'delivery'
  | 'decision'
  | 'answer'
  | 'model'
  | 'tool'
  | 'lease'
  | 'message';

/** One thing a session waits for. */
export interface Wait {
  readonly kind: WaitKind;
  /** One sentence; no words of people or models in it. */
  readonly text: string;
  /** What would make it go on. */
  readonly advice: string;
  /** ISO 8601; null when nobody knows. */
  readonly since: string | null;
  /** When it is over by itself: a question expires, a lease ends, the next attempt is due. */
  readonly until?: string;
  readonly approvalId?: string;
  /** The question in one line: text of the model's, to be shown as data. */
  readonly question?: string;
  readonly tool?: string;
  readonly callId?: string;
  /** The attempt that runs or is due, from 1. */
  readonly attempt?: number;
  /** Error code: why it is blocked, or why the attempt before failed. */
  readonly code?: string;
}

/** What Temporal says about a session. */
export interface TemporalFacts {
  /** Status of the newest run, as Temporal names it; `NOT_FOUND` when it knows no workflow of the session. */
  readonly status: string;
  readonly runId: string | null;
  readonly run: RunPicture | null;
  /** Workers that have asked for work in the last minute or so. */
  readonly pollers: readonly string[];
}
