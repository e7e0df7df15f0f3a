import type { z } from 'zod';
import {
  type ApprovalRecord,
  type ApprovalStatus,
  CALL_DECISIONS,
  type DecisionOutcome,
  OUTCOME_DECISIONS,
} from '../core/approvals';
import { HoldpointError } from '../core/errors';
import type { SessionId } from '../core/ids';
import type { NewDecision } from '../core/ports/gateway-store';
import type { decisionRequest } from '../core/schemas/decision-request';
import { deliver } from './deliver';
import type { GatewayContext } from './gateway-context';
import { unknownApproval } from './problem-details';
import { waitForOutcome } from './wait-for-outcome';

type DecisionRequest = z.output<typeof decisionRequest> & { readonly decisionId: string };

export interface SubmittedDecision {
  /** Null while nobody has settled it. */
  readonly outcome: DecisionOutcome | null;
  readonly approval: ApprovalRecord;
  /** Why a decision was not even stored; only with outcome `invalid`. */
  readonly reason?: string;
}

/** Answers that may be given without having looked at the arguments: they run nothing. */
const WITHOUT_DIGEST: readonly string[] = ['reject', 'abandon'];

/**
 * Takes in a decision: looks at the stored record, stores the decision, wakes its session and waits a few seconds for
 * what the session makes of it. The store's settlement is the judge; what is answered here without it (a word that does
 * not fit, a missing digest, a question that is closed) can't come out differently there.
 *
 * The same decision id again has the stored outcome. Throws `unknown_approval`, `idempotency_conflict`,
 * `session_erased` and `store_unavailable`.
 */
export async function submitDecision(
  context: GatewayContext,
  approvalId: string,
  request: DecisionRequest,
): Promise<SubmittedDecision> {
  const { store, tenant } = context;
  const approval = await store.readApproval(tenant, approvalId);
  if (approval === undefined) {
    throw unknownApproval();
  }
  const reason = invalidReason(approval, request);
  if (reason !== undefined) {
    return { outcome: 'invalid', approval, reason };
  }
  if (approval.status !== 'pending') {
    return { outcome: await outcomeOfClosed(context, approval, request), approval };
  }
  const decision = await newDecision(context, approvalId, request);
  const stored = await store.putDecision(decision);
  if (stored.status === 'conflict') {
    throw refusedByStore(stored.code, request.decisionId);
  }
  const settled = await settle(context, approval, decision);
  const outcome = settled ?? (stored.status === 'created' ? certainRefusal(approval, decision) : undefined) ?? null;
  return { outcome, approval: (await store.readApproval(tenant, approvalId)) ?? approval };
}

async function newDecision(
  { clock, tenant, principal }: GatewayContext,
  approvalId: string,
  { decisionId, decision, argumentsDigest, comment }: DecisionRequest,
): Promise<NewDecision> {
  return {
    tenant,
    approvalId,
    decisionId,
    decision,
    ...(argumentsDigest === undefined ? {} : { argumentsDigest }),
    ...(comment === undefined ? {} : { comment }),
    principal,
    provenance: 'authenticated',
    decidedAt: new Date(await clock.nowMs()).toISOString(),
  };
}

async function settle(
  context: GatewayContext,
  approval: ApprovalRecord,
  { tenant, approvalId, decisionId, decision }: NewDecision,
): Promise<DecisionOutcome | undefined> {
  const { store, sessions } = context;
  const readOutcome = () => store.readDecisionOutcome(tenant, approvalId, decisionId);
  const known = await readOutcome();
  if (known !== undefined) {
    return known;
  }
  const key = { tenant: context.tenant, sessionId: approval.sessionId as SessionId };
  const session = await store.readSession(key);
  const target = session === undefined ? key : { ...key, agent: session.agent };
  const isDelivered = await deliver(context, key, { kind: 'decision', id: decisionId }, () =>
    sessions.decide(target, { approvalId, decisionId, decision, ref: decisionId }),
  );
  const timeoutMs = isDelivered ? context.outcomeTimeoutMs : 0;
  return waitForOutcome(readOutcome, { timeoutMs, signal: context.closing });
}

/** Why a decision says nothing that could be taken, or undefined. */
function invalidReason({ kind }: ApprovalRecord, { decision, argumentsDigest }: DecisionRequest): string | undefined {
  const words: readonly string[] = kind === 'call' ? CALL_DECISIONS : OUTCOME_DECISIONS;
  if (!words.includes(decision)) {
    return `decision: must be one of ${words.join(', ')} for an approval of kind ${kind}.`;
  }
  if (argumentsDigest === undefined && !WITHOUT_DIGEST.includes(decision)) {
    return `argumentsDigest: required for ${decision}; take it from the approval that was looked at.`;
  }
  return undefined;
}

/** A closed question stays closed, so its status answers every new decision. */
async function outcomeOfClosed(
  { store, tenant }: GatewayContext,
  { approvalId, status, decisions }: ApprovalRecord,
  request: DecisionRequest,
): Promise<DecisionOutcome> {
  const known = await store.readDecisionOutcome(tenant, approvalId, request.decisionId);
  if (known === undefined) {
    return outcomeByStatus(status);
  }
  const same = decisions.find(({ decisionId }) => decisionId === request.decisionId);
  if (same !== undefined && (same.decision !== request.decision || same.comment !== request.comment)) {
    throw refusedByStore('idempotency_conflict', request.decisionId);
  }
  return known;
}

function outcomeByStatus(status: ApprovalStatus): DecisionOutcome {
  return status === 'expired' || status === 'cancelled' || status === 'superseded' ? status : 'already_decided';
}

/** What a new decision that nobody has settled yet can only become, or undefined when it may be taken. */
function certainRefusal(approval: ApprovalRecord, decision: NewDecision): DecisionOutcome | undefined {
  if (Date.parse(decision.decidedAt) >= Date.parse(approval.expiresAt)) {
    return 'expired';
  }
  const needsDigest = !WITHOUT_DIGEST.includes(decision.decision);
  return needsDigest && decision.argumentsDigest !== approval.argumentsDigest ? 'digest_mismatch' : undefined;
}

function refusedByStore(
  code: 'session_exists' | 'idempotency_conflict' | 'session_erased' | 'unknown_session' | 'unknown_approval',
  decisionId: string,
): HoldpointError {
  switch (code) {
    case 'session_exists':
    case 'idempotency_conflict':
      return new HoldpointError('idempotency_conflict', `Decision ${decisionId} is stored with other content.`);
    case 'session_erased':
      return new HoldpointError('session_erased', 'The session of this approval has been erased.');
    case 'unknown_session':
    case 'unknown_approval':
      return unknownApproval();
  }
}
