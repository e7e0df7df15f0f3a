import type { Insertable } from 'kysely';
import type {
  ApprovalRecord,
  ApprovalStatus,
  DecisionOutcome,
  DecisionRecord,
  NewApproval,
  Provenance,
} from '../../core/approvals';
import { type Entry, isEntry } from '../../core/entries';
import { HoldpointError } from '../../core/errors';
import type { SessionKey } from '../../core/ids';
import { jsonText } from './json-text';
import type { Scope } from './store-database';
import type { ApprovalRow, ApprovalsTable, DecisionRow } from './tables';

/** What never changes about a question and is not looked up by: one JSON text, because it holds a model's words. */
export type ApprovalBody = Omit<
  NewApproval,
  'approvalId' | 'turn' | 'callId' | 'kind' | 'argumentsDigest' | 'requestedAt' | 'expiresAt' | 'grantUseMs'
>;

/** What is kept of a decision, with every word as it was sent. */
export interface DecisionBody {
  readonly decision: string;
  readonly principal: string;
  readonly provenance: Provenance;
  readonly comment?: string;
  readonly argumentsDigest?: string;
  readonly decidedAt?: string;
}

/**
 * Writes new questions, all pending. `written` holds the `approval.requested` entry of each of them.
 * Throws HoldpointError `internal` for a question without one.
 */
export async function insertApprovals(
  { tx }: Scope,
  key: SessionKey,
  approvals: readonly NewApproval[],
  written: readonly Entry[],
): Promise<void> {
  if (approvals.length === 0) {
    return;
  }
  const asked = written.filter((entry) => isEntry(entry, 'approval.requested'));
  const seqs = new Map(asked.map(({ data, seq }) => [data.approvalId, seq]));
  const rows = approvals.map((approval) => {
    const askedSeq = seqs.get(approval.approvalId);
    if (askedSeq === undefined) {
      throw new HoldpointError('internal', `No entry says that approval ${approval.approvalId} was requested.`);
    }
    return approvalRowOf(key, approval, askedSeq);
  });
  await tx.insertInto('approvals').values(rows).execute();
}

/** A question of one session by its id. */
export async function findApproval(
  { tx }: Scope,
  { tenant, sessionId }: SessionKey,
  approvalId: string,
): Promise<ApprovalRow | undefined> {
  return tx
    .selectFrom('approvals')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('approval_id', '=', approvalId)
    .where('session', '=', sessionId)
    .executeTakeFirst();
}

/** The decisions about some approvals of a tenant, in the order they were judged. */
export async function findDecisions(
  { tx }: Scope,
  tenant: string,
  approvalIds: readonly string[],
): Promise<readonly DecisionRow[]> {
  if (approvalIds.length === 0) {
    return [];
  }
  return tx
    .selectFrom('decisions')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('approval_id', 'in', approvalIds)
    .orderBy('approval_id')
    .orderBy('position')
    .execute();
}

/** The body of a question's row. */
export function approvalBodyOf(row: ApprovalRow): ApprovalBody {
  return JSON.parse(row.body) as ApprovalBody;
}

/** The words of a decision's row. */
export function decisionBodyOf(row: Pick<DecisionRow, 'body'>): DecisionBody {
  return JSON.parse(row.body) as DecisionBody;
}

/** A question as others read it. `decisions` may hold those of other approvals too. */
export function approvalRecordOf(row: ApprovalRow, decisions: readonly DecisionRow[]): ApprovalRecord {
  return {
    ...approvalBodyOf(row),
    approvalId: row.approval_id,
    kind: row.kind,
    sessionId: row.session,
    turn: row.turn,
    callId: row.call_id,
    argumentsDigest: row.arguments_digest,
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    status: row.status as ApprovalStatus,
    ...(row.use_by_ms === null ? {} : { useBy: new Date(row.use_by_ms).toISOString() }),
    ...(row.used_by === null ? {} : { usedBy: row.used_by }),
    decisions: decisions.filter((decision) => decision.approval_id === row.approval_id).map(decisionRecordOf),
  };
}

function decisionRecordOf(row: DecisionRow): DecisionRecord {
  const { decision, principal, provenance, comment, decidedAt } = decisionBodyOf(row);
  return {
    decisionId: row.decision_id,
    decision,
    outcome: row.outcome as DecisionOutcome,
    principal,
    provenance,
    ...(comment === undefined ? {} : { comment }),
    ...(decidedAt === undefined ? {} : { decidedAt }),
    at: row.at,
  };
}

function approvalRowOf(
  { tenant, sessionId }: SessionKey,
  approval: NewApproval,
  askedSeq: number,
): Insertable<ApprovalsTable> {
  const { approvalId, turn, callId, kind, argumentsDigest, requestedAt, expiresAt, grantUseMs, ...body } = approval;
  return {
    tenant,
    approval_id: approvalId,
    session: sessionId,
    turn,
    call_id: callId,
    kind,
    status: 'pending' satisfies ApprovalStatus,
    arguments_digest: argumentsDigest,
    requested_at: requestedAt,
    asked_seq: askedSeq,
    expires_at: expiresAt,
    grant_use_ms: grantUseMs,
    use_by_ms: null,
    used_by: null,
    refused_count: 0,
    body: jsonText(body satisfies ApprovalBody),
  };
}
