import type { ApprovalRecord, ApprovalStatus, DecisionOutcome, Provenance } from '../approvals';
import type { Entry } from '../entries';
import type { SessionKey } from '../ids';
import type { SessionFacts } from '../session-facts';
import type { MessageMode, SessionOptions, SessionStatus, SessionView } from '../sessions';
import type { PublishedAgent } from './worker-store';

/**
 * The store as a gateway uses it: it takes in what people send, and reads. It never decides anything.
 * Every operation throws HoldpointError `store_unavailable` when the store can't be asked.
 */
export interface GatewayStore {
  /** Session row and first message in one transaction. The same id with the same agent and message is `same`. */
  createSession(input: NewSession): Promise<Stored>;
  /** A message for an existing session. A task whose turn has ended takes none: `session_closed`. */
  putMessage(input: NewMessage): Promise<Stored>;
  /** A decision for an approval of any session of the tenant. */
  putDecision(input: NewDecision): Promise<Stored & { readonly sessionId?: string }>;
  /** Notes that Temporal accepted the signal for an inbox row. */
  markDelivered(key: SessionKey, kind: InboxKind, id: string): Promise<void>;

  readSession(key: SessionKey): Promise<SessionView | undefined>;
  /** Newest first, behind `after`, at most `limit`. */
  listSessions(
    tenant: string,
    filter: {
      readonly status?: SessionStatus;
      readonly agent?: string;
      readonly after?: SessionPlace;
      readonly limit: number;
    },
  ): Promise<SessionPage>;
  /** Where a session stands, all of it read at one moment. */
  readSessionFacts(key: SessionKey): Promise<SessionFacts | undefined>;
  /**
   * Entries with seq above `after`, ascending, at most `limit`; a page ends early at about 8 MiB of JSON, or at
   * `maxBytes` where that is less, and has one entry at least where there is one. Undefined for an unknown session.
   */
  listEntries(key: SessionKey, after: number, limit: number, maxBytes?: number): Promise<readonly Entry[] | undefined>;
  /** In the order they were asked, behind `after`, at most `limit`; a page ends early as in `listEntries`. */
  listApprovals(
    tenant: string,
    filter: { readonly status?: ApprovalStatus; readonly after?: ApprovalPlace; readonly limit: number },
  ): Promise<ApprovalPage>;
  /** The statuses of a tenant's questions: of all that are pending, and of all that were asked at `askedSince` or later. */
  listApprovalStatuses(tenant: string, askedSince: string): Promise<readonly ApprovalState[]>;
  readApproval(tenant: string, approvalId: string): Promise<ApprovalRecord | undefined>;
  /** What became of a stored decision; undefined while nobody has settled it. */
  readDecisionOutcome(tenant: string, approvalId: string, decisionId: string): Promise<DecisionOutcome | undefined>;
  /** The newest published version of each agent. */
  listAgents(tenant: string): Promise<readonly PublishedAgent[]>;
  ping(): Promise<void>;
}

/** Where a session stands among all of its tenant: by the time it was made, then by id. */
export interface SessionPlace {
  readonly createdAt: string;
  readonly sessionId: string;
}

export interface SessionPage {
  readonly sessions: readonly SessionView[];
  /** The place of the last one, to go on behind it; null when there are no more. */
  readonly next: SessionPlace | null;
}

/** Where a question stands among all of its tenant: by time, then session, then place in the session's log. */
export interface ApprovalPlace {
  readonly requestedAt: string;
  readonly sessionId: string;
  /** Sequence of its `approval.requested` entry. */
  readonly askedSeq: number;
}

export interface ApprovalPage {
  readonly approvals: readonly ApprovalRecord[];
  /** The place of the last one, to go on behind it; null when there are no more. */
  readonly next: ApprovalPlace | null;
}

export type ApprovalState = Pick<ApprovalRecord, 'approvalId' | 'status'>;

export type InboxKind = 'message' | 'decision';

/** `conflict` carries the code to answer with. */
export type Stored =
  /** `isAnnounced`: somebody else starts the session's workflow, which then finds the message. */
  | { readonly status: 'created'; readonly isAnnounced?: true }
  /** `isTaken`: a message that its session has taken already, so that no signal is needed for it. */
  | { readonly status: 'same'; readonly isTaken?: true }
  | {
      readonly status: 'conflict';
      readonly code:
        | 'session_exists'
        | 'session_closed'
        | 'idempotency_conflict'
        | 'session_erased'
        | 'unknown_session'
        | 'unknown_approval';
    };

export interface NewSession extends SessionKey, SessionOptions {
  readonly agent: string;
  readonly message: MessageBody;
  /** True: nobody here starts its workflow, its announcer does. The same session without it is started after all. */
  readonly isAnnounced?: boolean;
  readonly at: string;
}

export interface MessageBody {
  readonly messageId: string;
  readonly mode: MessageMode;
  readonly content: string;
  readonly principal: string;
  readonly provenance: Provenance;
}

export interface NewMessage extends SessionKey {
  readonly message: MessageBody;
  readonly at: string;
}

export interface NewDecision {
  readonly tenant: string;
  readonly approvalId: string;
  readonly decisionId: string;
  readonly decision: string;
  readonly argumentsDigest?: string;
  readonly comment?: string;
  readonly principal: string;
  readonly provenance: Provenance;
  /** ISO time the gateway took it in; the moment that counts against `expiresAt`. */
  readonly decidedAt: string;
}
