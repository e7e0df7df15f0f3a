import type { DecisionOutcome } from '../../core/approvals';
import type { SessionKey } from '../../core/ids';
import type { NewDecision, Stored } from '../../core/ports/gateway-store';
import { digestOf } from '../../digests/digest-of';
import { type DecisionText, findInbox, putInbox } from './inbox-row';
import { lockRow } from './lock-session';
import { isOwnDecisionId } from './pending-answers';
import type { Scope, StoreDatabase } from './store-database';

/** See `GatewayStore.putDecision`. */
export function putDecision(
  database: StoreDatabase,
  input: NewDecision,
): Promise<Stored & { readonly sessionId?: string }> {
  return database.write(async (scope) => {
    const { tenant, approvalId, decisionId, ...text } = input;
    const sessionId = await findSessionOf(scope, tenant, approvalId);
    if (sessionId === undefined) {
      return { status: 'conflict', code: 'unknown_approval' };
    }
    const key = { tenant, sessionId } as SessionKey;
    const row = await lockRow(scope, key);
    if (row === undefined || row.state !== 'active') {
      return { status: 'conflict', code: 'session_erased' };
    }
    const identity = identityOf(approvalId, text);
    const stored = await findInbox(scope, key, 'decision', decisionId);
    if (stored !== undefined) {
      const isSame = stored.body_digest === digestOf(identity);
      return isSame ? { status: 'same', sessionId } : { status: 'conflict', code: 'idempotency_conflict', sessionId };
    }
    // Whoever sent this id in a plain signal said something of his own; his outcome must not pass for this one's.
    if (isOwnDecisionId(decisionId) || (await findOutcome(scope, tenant, approvalId, decisionId)) !== undefined) {
      return { status: 'conflict', code: 'idempotency_conflict', sessionId };
    }
    await putInbox(scope, row, {
      kind: 'decision',
      id: decisionId,
      approvalId,
      body: text,
      identity,
      at: input.decidedAt,
    });
    return { status: 'created', sessionId };
  });
}

/** See `GatewayStore.readDecisionOutcome`. */
export function readDecisionOutcome(
  database: StoreDatabase,
  tenant: string,
  approvalId: string,
  decisionId: string,
): Promise<DecisionOutcome | undefined> {
  return database.read(async (scope) => {
    const sessionId = await findSessionOf(scope, tenant, approvalId);
    if (sessionId === undefined) {
      return undefined;
    }
    const stored = await findInbox(scope, { tenant, sessionId } as SessionKey, 'decision', decisionId);
    // A refused decision beyond the ones that are kept has its outcome in the inbox alone.
    return stored?.approval_id === approvalId
      ? (stored.outcome ?? undefined)
      : findOutcome(scope, tenant, approvalId, decisionId);
  });
}

async function findSessionOf({ tx }: Scope, tenant: string, approvalId: string): Promise<string | undefined> {
  const approval = await tx
    .selectFrom('approvals')
    .select('session')
    .where('tenant', '=', tenant)
    .where('approval_id', '=', approvalId)
    .executeTakeFirst();
  return approval?.session;
}

async function findOutcome(
  { tx }: Scope,
  tenant: string,
  approvalId: string,
  decisionId: string,
): Promise<DecisionOutcome | undefined> {
  const decision = await tx
    .selectFrom('decisions')
    .select('outcome')
    .where('tenant', '=', tenant)
    .where('approval_id', '=', approvalId)
    .where('decision_id', '=', decisionId)
    .executeTakeFirst();
  return decision?.outcome;
}

/** The time of arrival is left out: a request sent again comes later and is still the same. */
function identityOf(approvalId: string, { decidedAt: _, ...said }: DecisionText): unknown {
  return { approvalId, ...said };
}
