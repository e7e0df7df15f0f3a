import type { DecisionCandidate } from '../../core/approvals';
import { isId, type SessionKey } from '../../core/ids';
import type { Answer } from '../../core/judge-decision';
import { wellFormedText } from '../../core/well-formed-text';
import { decisionIdOf } from '../../digests/derived-ids';
import type { DecisionBody } from './approval-row';
import { type DecisionText, unsettledDecisions } from './inbox-row';
import type { Scope } from './store-database';

/** Ids of holdpoint's own answers. No answer that came from outside may use one: it would be taken for settled. */
const OWN_ID_PREFIX = 'system-';
/** Ids made from what an answer says, or drawn by a gateway. An answer in a plain signal may not choose one. */
const MADE_ID_PREFIX = 'd_';
const OWN_PRINCIPAL = 'system';
const NOBODY = 'anonymous';
const LONGEST_NAME = 200;
const LONGEST_COMMENT = 4_000;

/** An answer that waits to be judged, with what is kept of it. */
export interface PendingAnswer {
  readonly decisionId: string;
  /** The id it has instead when another answer had that one first; only for answers whose id nobody has checked. */
  readonly contentId?: string;
  readonly answer: Answer;
  readonly body: DecisionBody;
  /** True for an answer that has an inbox row. */
  readonly isStored: boolean;
}

/** True for a decision id that holdpoint keeps for itself. */
export function isOwnDecisionId(decisionId: string): boolean {
  return decisionId.startsWith(OWN_ID_PREFIX);
}

/** The stored answers to a question that nobody has judged yet, oldest first. */
export async function findStoredAnswers(
  scope: Scope,
  { tenant, sessionId }: SessionKey,
  approvalId: string,
): Promise<readonly PendingAnswer[]> {
  const rows = await unsettledDecisions(scope)
    .select(['id', 'body'])
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('approval_id', '=', approvalId)
    .orderBy('position')
    .execute();
  return rows.map(({ id, body }) => {
    const text = JSON.parse(body) as DecisionText;
    return { decisionId: id, answer: { by: 'person', ...text }, body: text, isStored: true };
  });
}

/**
 * An answer from a plain signal. Nothing in it is proven: its time is the workflow's, its principal a claim, and its
 * words may be anything.
 */
export function answerOfCandidate(approvalId: string, candidate: DecisionCandidate, nowAt: string): PendingAnswer {
  const decision = cleaned(candidate.decision, LONGEST_NAME);
  const principal = cleaned(candidate.principal ?? NOBODY, LONGEST_NAME);
  const argumentsDigest = candidate.argumentsDigest && cleaned(candidate.argumentsDigest, LONGEST_NAME);
  const comment = candidate.comment && cleaned(candidate.comment, LONGEST_COMMENT);
  const { decisionId } = candidate;
  const isUsableId = isId(decisionId) && !isOwnDecisionId(decisionId) && !decisionId.startsWith(MADE_ID_PREFIX);
  const contentId = decisionIdOf({ approvalId, decision, argumentsDigest, comment });
  return {
    decisionId: isUsableId ? decisionId : contentId,
    contentId,
    answer: { by: 'person', decision, argumentsDigest, principal, decidedAt: nowAt },
    body: {
      decision,
      principal,
      provenance: 'request',
      ...(comment === undefined ? {} : { comment }),
      ...(argumentsDigest === undefined ? {} : { argumentsDigest }),
    },
    isStored: false,
  };
}

/** Nobody answered in time, says the workflow. */
export function expiryAnswer(expiredAt: string): PendingAnswer {
  return ownAnswer('expire', { by: 'expiry', expiredAt });
}

/** The question is withdrawn with its turn. */
export function withdrawalAnswer(): PendingAnswer {
  return ownAnswer('withdraw', { by: 'withdrawal' });
}

/** Whether two answers say the same, whoever sent them. */
export function isSameAnswer(one: DecisionBody, other: DecisionBody): boolean {
  const { decision, argumentsDigest, comment } = one;
  return decision === other.decision && argumentsDigest === other.argumentsDigest && comment === other.comment;
}

function ownAnswer(decision: 'expire' | 'withdraw', answer: Answer): PendingAnswer {
  return {
    decisionId: `${OWN_ID_PREFIX}${decision}`,
    answer,
    body: { decision, principal: OWN_PRINCIPAL, provenance: 'system' },
    isStored: false,
  };
}

function cleaned(text: string, longest: number): string {
  return wellFormedText(text.slice(0, longest));
}
