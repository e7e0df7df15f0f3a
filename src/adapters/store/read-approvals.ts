import type { ApprovalRecord, ApprovalStatus } from '../../core/approvals';
import { approvalRecordOf, findDecisions } from './approval-row';
import type { StoreDatabase } from './store-database';

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

/** See `GatewayStore.listApprovals`. */
export function listApprovals(
  database: StoreDatabase,
  tenant: string,
  filter: { readonly status?: ApprovalStatus; readonly limit: number },
): Promise<readonly ApprovalRecord[]> {
  return database.read(async (scope) => {
    const all = scope.tx.selectFrom('approvals').selectAll().where('tenant', '=', tenant);
    const wanted = filter.status === undefined ? all : all.where('status', '=', filter.status);
    const rows = await wanted.orderBy('requested_at', 'desc').orderBy('approval_id').limit(filter.limit).execute();
    const ids = rows.map((row) => row.approval_id);
    const decisions = await findDecisions(scope, tenant, ids);
    return rows.map((row) => approvalRecordOf(row, decisions));
  });
}
