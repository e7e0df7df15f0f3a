import type { JsonValue } from './json';
import type { ToolRisk } from './tools';

/** `call`: may this call run? · `outcome`: what became of a write that may or may not have happened? */
export type ApprovalKind = 'call' | 'outcome';
/** `pending` moves once; `approved` moves to `superseded` only before the write has begun. */
export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'superseded';

export const CALL_DECISIONS = ['approve', 'reject'] as const;
export const OUTCOME_DECISIONS = ['applied', 'run_again', 'abandon'] as const;
/** What a human answers; the first two for kind `call`, the others for kind `outcome`. */
export type DecisionWord = (typeof CALL_DECISIONS)[number] | (typeof OUTCOME_DECISIONS)[number];

/** What became of one decision. */
export type DecisionOutcome =
  | 'taken'
  | 'recorded'
  | 'already_decided'
  | 'expired'
  | 'cancelled'
  | 'superseded'
  | 'digest_mismatch'
  | 'not_allowed'
  | 'invalid'
  | 'invalid_signature'
  | 'unknown_approval';

/** How we know who decided: by login · by a trusted service · by a link · claimed in a plain signal · by holdpoint itself. */
export type Provenance = 'authenticated' | 'delegated' | 'link' | 'request' | 'system';

/** One question to a human, as the store keeps it. Under one id, arguments, preview and precondition never change. */
export interface ApprovalRecord {
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  readonly sessionId: string;
  readonly turn: number;
  readonly round: number;
  readonly callId: string;
  /** Number of this question for the call, from 1. */
  readonly ask: number;
  readonly tool: string;
  /** One line, at most 200 characters; text of the model's, shown as data. */
  readonly summary: string;
  readonly arguments: JsonValue;
  readonly preview?: string;
  readonly argumentsDigest: string;
  readonly toolDigest: string;
  readonly precondition?: string;
  readonly policyVersion: string;
  readonly reason: string;
  readonly risk: ToolRisk;
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly status: ApprovalStatus;
  readonly approversNeeded: number;
  readonly requesterMayApprove: boolean;
  /** Last moment a grant may begin, by the store's clock; set when it is approved. */
  readonly useBy?: string;
  /** Set when a try began under this approval. */
  readonly usedBy?: string;
  readonly decisions: readonly DecisionRecord[];
}

/** What `append` writes for a new question; the store adds status and decisions. */
export type NewApproval = Omit<ApprovalRecord, 'status' | 'decisions' | 'sessionId' | 'useBy' | 'usedBy'> & {
  /** Milliseconds a positive decision stays usable. */
  readonly grantUseMs: number;
};

/** One answer to a question, with what became of it. */
export interface DecisionRecord {
  readonly decisionId: string;
  readonly decision: string;
  readonly outcome: DecisionOutcome;
  readonly principal: string;
  readonly provenance: Provenance;
  readonly subject?: string;
  readonly comment?: string;
  /** Absent when it came by a plain signal without a valid signature. */
  readonly decidedAt?: string;
  readonly at: string;
}

/** A decision nobody has taken yet. It may be forged, late, or a copy; only the store's transaction says what it is. */
export interface DecisionCandidate {
  readonly decisionId?: string;
  readonly decision: string;
  readonly argumentsDigest?: string;
  readonly comment?: string;
  readonly principal?: string;
}
