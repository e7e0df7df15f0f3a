import type { ApprovalRecord, ApprovalStatus, DecisionOutcome, Provenance } from '../approvals';
import type { Entry } from '../entries';
import type { SessionKey } from '../ids';
import type { MessageMode, SessionView } from '../sessions';
import type { PublishedAgent } from './worker-store';

/**
 * The store as a gateway uses it: it takes in what people send, and reads. It never decides anything.
 * Every operation throws HoldpointError `store_unavailable` when the store can't be asked.
 */
export interface GatewayStore {
  /** Session row and first message in one transaction. The same id with the same agent and message is `same`. */
  createSession(input: NewSession): Promise<Stored>;
  /** A message for an existing session. */
  putMessage(input: NewMessage): Promise<Stored>;
  /** A decision for an approval of any session of the tenant. */
  putDecision(input: NewDecision): Promise<Stored & { readonly sessionId?: string }>;
  /** Notes that Temporal accepted the signal for an inbox row. */
  markDelivered(key: SessionKey, kind: InboxKind, id: string): Promise<void>;

  readSession(key: SessionKey): Promise<SessionView | undefined>;
  /** Entries with seq above `after`, ascending, at most `limit`; undefined for an unknown session. */
  listEntries(key: SessionKey, after: number, limit: number): Promise<readonly Entry[] | undefined>;
  /** Newest first, at most `limit`. */
  listApprovals(
    tenant: string,
    filter: { readonly status?: ApprovalStatus; readonly limit: number },
  ): Promise<readonly ApprovalRecord[]>;
  readApproval(tenant: string, approvalId: string): Promise<ApprovalRecord | undefined>;
  /** What became of a stored decision; undefined while nobody has settled it. */
  readDecisionOutcome(tenant: string, approvalId: string, decisionId: string): Promise<DecisionOutcome | undefined>;
  /** The newest published version of each agent. */
  listAgents(tenant: string): Promise<readonly PublishedAgent[]>;
  ping(): Promise<void>;
}

export type InboxKind = 'message' | 'decision';

/** `conflict` carries the code to answer with. */
export type Stored =
  | { readonly status: 'created' | 'same' }
  | {
      readonly status: 'conflict';
      readonly code:
        | 'session_exists'
        | 'idempotency_conflict'
        | 'session_erased'
        | 'unknown_session'
        | 'unknown_approval';
    };

export interface NewSession extends SessionKey {
  readonly agent: string;
  readonly message: MessageBody;
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
