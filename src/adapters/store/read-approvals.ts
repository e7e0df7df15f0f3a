import { sql } from 'kysely';
import type { ApprovalRecord, ApprovalStatus } from '../../core/approvals';
import type { ApprovalPage, ApprovalPlace, ApprovalState, GatewayStore } from '../../core/ports/gateway-store';
import { approvalRecordOf, findDecisions } from './approval-row';
import { MAX_SEQ } from './entry-row';
import { pageLength } from './page-length';
import type { Scope, StoreDatabase } from './store-database';
import type { ApprovalRow } from './tables';

/** See `WorkerStore.readApproval`. */
export function readApproval(
  database: StoreDatabase,
  tenant: string,
  approvalId: string,
): Promise<ApprovalRecord | undefined> {
  return database.read(async (scope) => {
    const row = await scope.tx
      .selectFrom('approvals')
      .selectAll()
      .where('tenant', '=', tenant)
      .where('approval_id', '=', approvalId)
      .executeTakeFirst();
    return row && approvalRecordOf(row, await findDecisions(scope, tenant, [approvalId]));
  });
}

/** See `GatewayStore.listApprovalStatuses`. */
export function listApprovalStatuses(
  database: StoreDatabase,
  tenant: string,
  askedSince: string,
): Promise<readonly ApprovalState[]> {
  return database.read(async ({ tx }) => {
    const all = tx.selectFrom('approvals').select(['approval_id', 'status']).where('tenant', '=', tenant);
    // Two queries, each with an index of its own.
    const pending = await all.where('status', '=', 'pending').execute();
    const late = await all.where('requested_at', '>=', askedSince).execute();
    const rows = new Map([...pending, ...late].map((row) => [row.approval_id, row.status]));
    return [...rows].map(([approvalId, status]) => ({ approvalId, status: status as ApprovalStatus }));
  });
}

type Filter = Parameters<GatewayStore['listApprovals']>[1];

/** See `GatewayStore.listApprovals`. */
export function listApprovals(database: StoreDatabase, tenant: string, filter: Filter): Promise<ApprovalPage> {
  return database.read(async (scope) => {
    const inOrder = selectWanted(scope, tenant, filter).orderBy('requested_at').orderBy('session').orderBy('asked_seq');
    // One more than asked for tells whether there are more. Of these only the lengths are read.
    const sizes = await inOrder
      .select(sql<number>`octet_length(body)`.as('bytes'))
      .limit(filter.limit + 1)
      .execute();
    const count = pageLength(sizes.slice(0, filter.limit).map(({ bytes }) => bytes));
    const rows = await inOrder.selectAll().limit(count).execute();
    const ids = rows.map((row) => row.approval_id);
    const decisions = await findDecisions(scope, tenant, ids);
    const last = rows.at(-1);
    return {
      approvals: rows.map((row) => approvalRecordOf(row, decisions)),
      next: last === undefined || count === sizes.length ? null : placeOf(last),
    };
  });
}

function selectWanted({ tx }: Scope, tenant: string, { status, after }: Filter) {
  const all = tx.selectFrom('approvals').where('tenant', '=', tenant);
  const wanted = status === undefined ? all : all.where('status', '=', status);
  if (after === undefined) {
    return wanted;
  }
  const { requestedAt, sessionId, askedSeq } = after;
  return wanted.where(({ eb, refTuple, tuple }) =>
    eb(
      refTuple('requested_at', 'session', 'asked_seq'),
      '>',
      tuple<string, string, number>(requestedAt, sessionId, Math.min(askedSeq, MAX_SEQ)),
    ),
  );
}

function placeOf(row: ApprovalRow): ApprovalPlace {
  return { requestedAt: row.requested_at, sessionId: row.session, askedSeq: row.asked_seq };
}
