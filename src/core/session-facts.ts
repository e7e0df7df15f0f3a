import type { ApprovalKind } from './approvals';
import type { EntryType } from './entries';
import type { SessionView } from './sessions';

/** What the store knows about where a session stands, read at one moment. Times are ISO 8601 in UTC. */
export interface SessionFacts {
  readonly session: SessionView;
  /** By the store's clock, the one that rules leases. */
  readonly storeTime: string;
  /** An operator terminated or cancelled its workflow: it waits for its next message. */
  readonly isStopped: boolean;
  /** Open questions, in the order they were asked. */
  readonly questions: readonly OpenQuestion[];
  /** Answers that are stored and that no worker has taken, oldest first. */
  readonly answers: readonly StoredAnswer[];
  /** Messages that start a turn or join one, and that no turn has taken. */
  readonly messages: WaitingMessages;
  /** Failed attempts of the open round's model call, in their order. */
  readonly retries: readonly { readonly attempt: number; readonly code: string; readonly at: string }[];
  /** Writes of the open turn that have begun and have no result. */
  readonly begun: readonly BegunWrite[];
  /** The end of the log, ascending. */
  readonly lastEntries: readonly EntryFact[];
}

export interface OpenQuestion {
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  readonly turn: number;
  readonly callId: string;
  readonly tool: string;
  /** Text of the model's, shown as data. */
  readonly summary: string;
  readonly requestedAt: string;
  readonly expiresAt: string;
}

export interface StoredAnswer {
  readonly approvalId: string;
  readonly decisionId: string;
  readonly at: string;
  /** Temporal has accepted the signal for it. */
  readonly isDelivered: boolean;
}

export interface WaitingMessages {
  readonly count: number;
  /** Those of them that Temporal has accepted no signal for. */
  readonly undelivered: number;
  /** Null when there is none. */
  readonly oldestAt: string | null;
}

export interface BegunWrite {
  readonly callId: string;
  readonly tool: string;
  readonly try: number;
  readonly startedAt: string;
  readonly leaseUntil: string;
}

/** An entry without its data. */
export interface EntryFact {
  readonly seq: number;
  readonly type: EntryType;
  readonly turn: number | null;
  readonly round: number | null;
  readonly callId?: string;
  readonly at: string;
}
