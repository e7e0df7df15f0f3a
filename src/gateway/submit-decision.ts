import type { z } from 'zod';
import { type ApprovalRecord, CALL_DECISIONS, type DecisionOutcome, OUTCOME_DECISIONS } from '../core/approvals';
import { HoldpointError } from '../core/errors';
import type { SessionId } from '../core/ids';
import { judgeDecision } from '../core/judge-decision';
import type { NewDecision, Stored } from '../core/ports/gateway-store';
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

/**
 * Takes in a decision: looks at the stored record, stores the decision, wakes its session and waits a few seconds for
 * what the session makes of it. The store's settlement is the judge; what is answered here without it (a word that does
 * not fit, a missing digest, a question that is closed) can't come out better there.
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
  const decision = await newDecision(context, approvalId, request);
  const reason = invalidReason(approval, decision);
  if (reason !== undefined) {
    return { outcome: 'invalid', approval, reason };
  }
  if (approval.status !== 'pending') {
    return { outcome: await outcomeOfClosed(context, approval, decision), approval };
  }
  const stored = await store.putDecision(decision);
  if (stored.status === 'conflict') {
    throw refusedByStore(stored.code, decision);
  }
  const settled = await settle(context, approval, decision);
  const latest = (await store.readApproval(tenant, approvalId)) ?? approval;
  // An earlier request's decision counts from when that one came, which is not known here.
  const certain = stored.status === 'created' ? refusalOf(latest, decision) : undefined;
  return { outcome: settled ?? certain ?? null, approval: latest };
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

/** What a decision would become by the record as it is, where that is a refusal; undefined when it may be taken. */
function refusalOf(approval: ApprovalRecord, decision: NewDecision): DecisionOutcome | undefined {
  const { outcome } = judgeDecision({ ...approval, agreedBy: [] }, { by: 'person', ...decision });
  return outcome === 'taken' || outcome === 'recorded' ? undefined : outcome;
}

/** Why a decision says nothing that could be taken, or undefined. */
function invalidReason(approval: ApprovalRecord, decision: NewDecision): string | undefined {
  const refusal = refusalOf(approval, decision);
  if (refusal === 'invalid') {
    const words = approval.kind === 'call' ? CALL_DECISIONS : OUTCOME_DECISIONS;
    return `decision: must be one of ${words.join(', ')} for an approval of kind ${approval.kind}.`;
  }
  if (refusal === 'digest_mismatch' && decision.argumentsDigest === undefined) {
    return `argumentsDigest: required for ${decision.decision}; take it from the approval that was looked at.`;
  }
  return undefined;
}

/** A closed question stays closed, so its status answers every new decision. */
async function outcomeOfClosed(
  { store, tenant }: GatewayContext,
  approval: ApprovalRecord,
  decision: NewDecision,
): Promise<DecisionOutcome> {
  const { approvalId, decisionId } = decision;
  const known = await store.readDecisionOutcome(tenant, approvalId, decisionId);
  if (known === undefined) {
    return refusalOf(approval, decision) ?? 'already_decided';
  }
  const same = approval.decisions.find((other) => other.decisionId === decisionId);
  if (same !== undefined && (same.decision !== decision.decision || same.comment !== decision.comment)) {
    throw refusedByStore('idempotency_conflict', decision);
  }
  return known;
}

function refusedByStore(
  code: Extract<Stored, { status: 'conflict' }>['code'],
  { decisionId }: NewDecision,
): HoldpointError {
  switch (code) {
    case 'session_exists':
    case 'session_closed':
    case 'idempotency_conflict':
      return new HoldpointError('idempotency_conflict', `Decision ${decisionId} is stored with other content.`);
    case 'session_erased':
      return new HoldpointError('session_erased', 'The session of this approval has been erased.');
    case 'unknown_session':
    case 'unknown_approval':
      return unknownApproval();
  }
}
