import type { ApprovalRecord, ApprovalStatus, NewApproval } from '../../core/approvals';
import type { LogPosition, NewEntry } from '../../core/entries';
import { askKey, resultKey } from '../../core/entry-keys';
import { type ErrorCode, HoldpointError } from '../../core/errors';
import type { RunFence } from '../../core/ports/worker-store';
import { approvalRecordOf, findApproval, findDecisions, insertApprovals } from './approval-row';
import { lockForRun, positionOf } from './lock-session';
import { hasEntry } from './read-entries';
import type { Scope, StoreDatabase } from './store-database';
import { writeEntries } from './write-entries';

interface SupersedeInput {
  readonly approvalId: string;
  readonly next: NewApproval;
  readonly because: string;
  readonly at: string;
}

const REFUSED_BY: Readonly<Record<ApprovalStatus, ErrorCode>> = {
  pending: 'already_decided',
  approved: 'already_decided',
  rejected: 'already_decided',
  expired: 'expired',
  cancelled: 'cancelled',
  superseded: 'superseded',
};

/**
 * See `WorkerStore.supersedeApproval`. Throws HoldpointError `unknown_approval`, and `already_decided`, `expired`,
 * `cancelled` or `superseded` for a question that can't be replaced any more: it was decided, its grant was used, or its
 * call was answered, as every call is when its turn ends.
 */
export function supersedeApproval(
  database: StoreDatabase,
  fence: RunFence,
  { approvalId, next, because, at }: SupersedeInput,
): Promise<{ readonly next: ApprovalRecord; readonly last: LogPosition }> {
  return database.write(async (scope) => {
    const row = await lockForRun(scope, fence);
    const stored = await readRecord(scope, fence, next.approvalId);
    if (stored !== undefined) {
      return { next: stored, last: positionOf(row) };
    }
    const old = await findApproval(scope, fence, approvalId);
    if (old === undefined) {
      throw new HoldpointError('unknown_approval', `There is no approval ${approvalId}.`);
    }
    const status = old.status as ApprovalStatus;
    const isOpen = (status === 'pending' || status === 'approved') && old.used_by === null;
    if (!isOpen || (await hasEntry(scope, fence, resultKey(old.call_id)))) {
      throw new HoldpointError(REFUSED_BY[status], `Approval ${approvalId} is ${status} and can't be replaced.`);
    }
    await scope.tx
      .updateTable('approvals')
      .set({ status: 'superseded' satisfies ApprovalStatus })
      .where('tenant', '=', fence.tenant)
      .where('approval_id', '=', approvalId)
      .execute();
    const written = await writeEntries(scope, row, [requestedEntry(next, approvalId, because)], at);
    await insertApprovals(scope, fence, [next], written.entries);
    const record = await readRecord(scope, fence, next.approvalId);
    if (record === undefined) {
      throw new HoldpointError('internal', `Approval ${next.approvalId} was written and is not there.`);
    }
    return { next: record, last: positionOf(written.row) };
  });
}

async function readRecord(scope: Scope, key: RunFence, approvalId: string): Promise<ApprovalRecord | undefined> {
  const row = await findApproval(scope, key, approvalId);
  return row && approvalRecordOf(row, await findDecisions(scope, key.tenant, [approvalId]));
}

function requestedEntry(next: NewApproval, supersedes: string, because: string): NewEntry {
  const { approvalId, kind, ask, tool, summary, risk, argumentsDigest, toolDigest, expiresAt } = next;
  return {
    key: askKey(next.callId, ask),
    type: 'approval.requested',
    turn: next.turn,
    round: next.round,
    callId: next.callId,
    data: { approvalId, kind, ask, tool, summary, risk, argumentsDigest, toolDigest, expiresAt, supersedes, because },
  };
}
