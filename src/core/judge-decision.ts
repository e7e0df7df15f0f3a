/**
 * The rules by which an answer moves a question. A question is `pending` until one answer is taken; it never moves twice:
 *
 *   pending -> approved   by approve (kind call), applied or run_again (kind outcome), from as many people as needed
 *   pending -> rejected   by reject, abandon: one is enough
 *   pending -> expired    when the workflow says that `expiresAt` has passed
 *   pending -> cancelled  when its turn ends (kind call only)
 *   pending, approved -> superseded   by a new question; not decided here
 */
import {
  type ApprovalKind,
  type ApprovalStatus,
  CALL_DECISIONS,
  type DecisionOutcome,
  OUTCOME_DECISIONS,
} from './approvals';

/** What of a question the judgement depends on. */
export interface JudgedApproval {
  readonly kind: ApprovalKind;
  readonly status: ApprovalStatus;
  readonly argumentsDigest: string;
  /** ISO time. */
  readonly expiresAt: string;
  /** Different people who have to agree; at least 1. */
  readonly approversNeeded: number;
  /** Who agreed so far. */
  readonly agreedBy: readonly string[];
}

/** An answer by somebody, or by holdpoint itself. Times are ISO. */
export type Answer =
  | {
      readonly by: 'person';
      readonly decision: string;
      readonly argumentsDigest?: string | undefined;
      readonly principal: string;
      /** When it counts as given. */
      readonly decidedAt: string;
    }
  | { readonly by: 'expiry'; readonly expiredAt: string }
  | { readonly by: 'withdrawal' };

/** What became of the answer, and the question's status behind it. */
export interface Judgement {
  readonly outcome: DecisionOutcome;
  readonly status: ApprovalStatus;
}

const DECIDED_OUTCOMES: Readonly<Record<ApprovalStatus, DecisionOutcome>> = {
  pending: 'recorded',
  approved: 'already_decided',
  rejected: 'already_decided',
  expired: 'expired',
  cancelled: 'cancelled',
  superseded: 'superseded',
};

/** Words that give something leave to happen, or say that it did: they must name the arguments they are about. */
const BINDING_WORDS: ReadonlySet<string> = new Set(['approve', 'applied', 'run_again']);

/** What an answer hears that comes to a question of this status; `recorded` while the question is open. */
export function outcomeOfStatus(status: ApprovalStatus): DecisionOutcome {
  return DECIDED_OUTCOMES[status];
}

/** Judges one answer. Pure: the caller writes what comes back. */
export function judgeDecision(approval: JudgedApproval, answer: Answer): Judgement {
  const { status } = approval;
  if (answer.by === 'person' && !isWordFor(approval.kind, answer.decision)) {
    return { outcome: 'invalid', status };
  }
  if (status !== 'pending') {
    return { outcome: outcomeOfStatus(status), status };
  }
  switch (answer.by) {
    case 'withdrawal':
      // What became of a write is worth knowing also after its turn was cancelled.
      return approval.kind === 'outcome' ? { outcome: 'invalid', status } : { outcome: 'taken', status: 'cancelled' };
    case 'expiry':
      return Date.parse(answer.expiredAt) >= Date.parse(approval.expiresAt)
        ? { outcome: 'taken', status: 'expired' }
        : { outcome: 'invalid', status };
    case 'person':
      return judgePerson(approval, answer);
  }
}

function judgePerson(approval: JudgedApproval, answer: Answer & { readonly by: 'person' }): Judgement {
  const { status, approversNeeded, agreedBy } = approval;
  // Written so that a time nobody can read is too late.
  if (!(Date.parse(answer.decidedAt) < Date.parse(approval.expiresAt))) {
    return { outcome: 'expired', status };
  }
  if (!BINDING_WORDS.has(answer.decision)) {
    return { outcome: 'taken', status: 'rejected' };
  }
  if (answer.argumentsDigest !== approval.argumentsDigest) {
    return { outcome: 'digest_mismatch', status };
  }
  const agreed = new Set([...agreedBy, answer.principal]);
  return agreed.size < approversNeeded ? { outcome: 'recorded', status } : { outcome: 'taken', status: 'approved' };
}

function isWordFor(kind: ApprovalKind, word: string): boolean {
  const words: readonly string[] = kind === 'call' ? CALL_DECISIONS : OUTCOME_DECISIONS;
  return words.includes(word);
}
