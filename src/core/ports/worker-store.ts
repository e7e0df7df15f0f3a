import type { EndedTask } from '../activity-contracts';
import type {
  ApprovalKind,
  ApprovalRecord,
  ApprovalStatus,
  DecisionCandidate,
  DecisionOutcome,
  NewApproval,
  Provenance,
} from '../approvals';
import type { Entry, LogPosition, NewEntry } from '../entries';
import type { SessionKey } from '../ids';
import type { JsonObject } from '../json';
import type { Limits } from '../limits';
import type { MessageMode, SessionOptions, TurnOutcome } from '../sessions';

/**
 * The store as a worker's activities use it.
 *
 * Every writing operation is one transaction under the session's row lock and awaits nothing but the store. It throws
 * HoldpointError `run_mismatch` (details: `storedRunId`, '' when none) when another run may write, `log_behind` when
 * the log lacks `fence.last`, `session_erased`, `unknown_session`, `log_conflict`, `store_unavailable` (busy, down:
 * repeat). Operations are idempotent by key: a repeated one changes nothing and returns what is stored.
 */
export interface WorkerStore {
  /** Makes `toRunId` the run that may write, if the stored one is still `fromRunId` ('' = none). */
  claimRun(key: SessionKey, fromRunId: string, toRunId: string): Promise<boolean>;

  /**
   * Writes `session.started` for a new or reopened session and reads what a run needs to go on. Creates the row
   * (origin `temporal`) when `createRow`; else `unknown_session` without one. A task whose turn has ended is not opened
   * again. Throws `invalid_start` when the input says something else of mode, limits or metadata than the row does, and
   * for `widening` limits.
   */
  openSession(fence: RunFence, input: OpenSessionStoreInput): Promise<OpenedSession>;

  /**
   * All or nothing: when the batch's first key is stored, nothing is written and the rows of that batch come back.
   * Go on with what is returned, never with what was sent. In a batch of messages, `takes` marks inbox rows as taken.
   */
  append(fence: RunFence, batch: AppendBatch): Promise<Appended>;

  /** Writes the begin record of a write, or says why this attempt may not begin. Store clock rules the lease. */
  beginTry(fence: RunFence, input: BeginTryInput): Promise<BeginOutcome>;

  /** Marks a question `superseded` and writes the next one with its entry; a repeat returns the stored next question. */
  supersedeApproval(
    fence: RunFence,
    input: { readonly approvalId: string; readonly next: NewApproval; readonly because: string; readonly at: string },
  ): Promise<{ readonly next: ApprovalRecord; readonly last: LogPosition }>;

  /**
   * Puts messages that came by plain signals into the inbox, so that their texts need not wait in a workflow. One whose
   * id is known, in the inbox or the log, is skipped.
   */
  storeMessages(
    fence: RunFence,
    input: { readonly messages: readonly InboxMessage[]; readonly at: string },
  ): Promise<{ readonly last: LogPosition | undefined }>;

  /** The only place that takes a decision. See design section 2. */
  settleApproval(fence: RunFence, input: SettleInput): Promise<SettleOutcome>;

  /** Answers what did not start, cancels open questions of kind `call`, and ends the turn unless a started call is open. */
  endTurn(fence: RunFence, input: EndTurnStoreInput): Promise<EndTurnOutcome>;

  /** Writes `session.closed`. What nobody has taken of a task's messages is logged as discarded. */
  closeSession(
    fence: RunFence,
    input: { readonly reason: string; readonly at: string },
  ): Promise<{ readonly last: LogPosition | undefined }>;

  /** Keeps a true result that came too late. Not fenced: it changes no state. A repeat is ignored. */
  appendLateResult(key: SessionKey, entry: NewEntry, at: string): Promise<void>;

  /** Says on the session's row why it is blocked, or that it no longer is. Not fenced, not an entry. */
  setBlocked(key: SessionKey, code: string | undefined): Promise<void>;

  /** Entries with seq above `after`, ascending, at most `limit`. `session_erased` and `unknown_session` are thrown. */
  readEntries(key: SessionKey, after: number, limit: number): Promise<readonly Entry[]>;
  readEntry(key: SessionKey, entryKey: string): Promise<Entry | undefined>;
  /** The stored ones among some entries, by their keys, as they were at one moment. */
  readEntriesOf(key: SessionKey, entryKeys: readonly string[]): Promise<ReadonlyMap<string, Entry>>;
  readApproval(tenant: string, approvalId: string): Promise<ApprovalRecord | undefined>;
  readInboxMessage(key: SessionKey, messageId: string): Promise<InboxMessage | undefined>;
  /** Secret of the session that salts argument digests; erased with it. */
  readDigestSalt(key: SessionKey): Promise<Uint8Array>;
  readBlob(key: SessionKey, blobId: string): Promise<Uint8Array | undefined>;
  /** Milliseconds since 1970 by the store's clock, the one that rules leases and grants. */
  clockMs(): Promise<number>;

  /** Makes definitions visible to gateways. The digest names a version; publishing it again only renews `publishedAt`. */
  publishAgents(agents: readonly PublishedAgent[], tenant: string): Promise<void>;
}

export interface OpenSessionStoreInput extends SessionOptions {
  readonly agent: string;
  readonly createRow: boolean;
  /**
   * Names of limits that are wider than the agent's. They refuse a session that was never opened; to a later run they
   * mean that its agent has become narrower since.
   */
  readonly widening?: readonly string[];
  readonly at: string;
}

/** Who writes: the session, the Temporal run, and the place in the log the run has seen. */
export interface RunFence extends SessionKey {
  readonly runId: string;
  readonly last?: LogPosition;
}

export interface AppendBatch {
  readonly entries: readonly [NewEntry, ...NewEntry[]];
  readonly at: string;
  /** Questions that belong to the batch, one for each `approval.requested` in it. */
  readonly approvals?: readonly NewApproval[];
  /** Message ids whose inbox rows this batch takes. */
  readonly takes?: readonly string[];
  readonly blobs?: readonly { readonly blobId: string; readonly bytes: Uint8Array }[];
  /** The batch is refused with `turn_ended` or `answered` when its turn has ended, or its call has a result. */
  readonly onlyWhileOpen?: { readonly turn: number; readonly callId?: string };
}

export type Appended =
  | { readonly status: 'written' | 'existing'; readonly entries: readonly Entry[]; readonly last: LogPosition }
  | { readonly status: 'turn_ended' | 'answered'; readonly last: LogPosition };

export interface OpenedSession {
  readonly agent: string;
  /** What the session narrows its agent's limits to. */
  readonly limits: Partial<Limits> | undefined;
  readonly task: { readonly ended?: EndedTask } | undefined;
  readonly lastTurn: number;
  readonly openTurn: { readonly turn: number; readonly messageId: string } | undefined;
  /** At most 500 of those no turn has taken, oldest first. */
  readonly inbox: readonly InboxMessage[];
  /** True when there are more. */
  readonly more: boolean;
  /** Pending approvals of ended turns, and pending approvals with unsettled decisions. */
  readonly approvals: readonly {
    readonly approvalId: string;
    readonly kind: ApprovalKind;
    readonly expiresAt: string;
  }[];
  readonly last: LogPosition | undefined;
}

export interface InboxMessage {
  readonly messageId: string;
  readonly mode: MessageMode;
  readonly content: string;
  readonly principal: string | undefined;
  readonly provenance: Provenance;
}

export interface BeginTryInput {
  readonly turn: number;
  readonly callId: string;
  readonly tool: string;
  /** Random per activity attempt; finding our own one stored means that only the acknowledgement was lost. */
  readonly attemptToken: string;
  readonly timeoutMs: number;
  readonly idempotencyKey: string;
  readonly approvalId?: string;
  /** The try whose fate the caller has settled (it did not happen, or may be repeated under the same key). */
  readonly afterTry?: number;
  readonly at: string;
}

export type BeginOutcome =
  /** `begun`: ours, go on. `busy`: another attempt's record is there without a result. */
  | {
      readonly status: 'begun' | 'busy';
      readonly try: number;
      readonly leaseUntilMs: number;
      readonly storeNowMs: number;
      readonly last: LogPosition;
    }
  | { readonly status: 'answered'; readonly result: Entry; readonly last: LogPosition }
  | { readonly status: 'turn_ended'; readonly last: LogPosition }
  /** The approval is not `approved`, its use-by has passed, or another call used it. */
  | { readonly status: 'not_granted'; readonly approval: ApprovalStatus | undefined; readonly last: LogPosition };

export interface SettleInput {
  readonly approvalId: string;
  readonly candidates: readonly DecisionCandidate[];
  readonly expiredAt?: string;
  readonly withdraw?: boolean;
  /** Workflow time; `decidedAt` of candidates from plain signals. */
  readonly now: string;
  readonly at: string;
}

export interface SettleOutcome {
  readonly outcome: DecisionOutcome;
  readonly approval: ApprovalStatus | undefined;
  readonly decision: string | undefined;
  readonly answered: boolean;
  readonly last: LogPosition | undefined;
}

export interface EndTurnStoreInput {
  readonly turn: number;
  readonly outcome: TurnOutcome;
  readonly code?: string;
  readonly rounds: number;
  readonly calls: number;
  readonly activeMs: number;
  /** `tool.result` entries the workflow hands over, for calls a limit skipped. */
  readonly answers: readonly NewEntry[];
  /** Discarded messages: `user.message` entries to write, with the inbox rows they take. */
  readonly discards: readonly NewEntry[];
  readonly at: string;
}

export type EndTurnOutcome =
  | { readonly status: 'ended'; readonly outcome: TurnOutcome; readonly code?: string; readonly last: LogPosition }
  | {
      readonly status: 'unsettled';
      readonly unsettled: readonly { readonly callId: string; readonly leaseUntil: string }[];
      readonly last: LogPosition;
    };

/** An agent as a worker publishes it; the gateway reads only this. */
export interface PublishedAgent {
  readonly name: string;
  readonly digest: string;
  readonly definition: JsonObject;
}
