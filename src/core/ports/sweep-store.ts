import type { SessionKey } from '../ids';
import type { InboxKind } from './gateway-store';

/** The store as the sweep uses it: one worker at a time delivers what was stored while Temporal could not be asked. */
export interface SweepStore {
  /** Takes or renews a named lease for `holder`; false while somebody else has it. Store clock. */
  takeLease(name: string, holder: string, leaseMs: number): Promise<boolean>;
  /** Inbox rows older than `olderThanMs` that were never delivered, oldest first. */
  listUndelivered(olderThanMs: number, limit: number): Promise<readonly UndeliveredRow[]>;
  /**
   * Sessions with an open turn or an untaken message that wakes (any but `inject`), which changed no more for
   * `olderThanMs`; not the stopped ones. In order of their keys, at most `limit`, behind the session `after`: many that
   * wait for a human hide no other.
   */
  listUnfinished(olderThanMs: number, limit: number, after?: SessionKey): Promise<readonly UnfinishedSession[]>;
  /** Marks a session an operator terminated or cancelled: it waits for its next message. */
  markStopped(key: SessionKey): Promise<void>;
  markDelivered(key: SessionKey, kind: InboxKind, id: string): Promise<void>;
}

export interface UndeliveredRow extends SessionKey {
  readonly kind: InboxKind;
  readonly id: string;
  readonly agent: string;
  /** Set for decisions. */
  readonly approvalId?: string;
}

export interface UnfinishedSession extends SessionKey {
  readonly agent: string;
  /** A message to start the workflow with, when one that wakes is untaken. */
  readonly untakenMessageId?: string;
}
