import type { ApprovalStatus } from '../../core/approvals';
import { SECOND_MS } from '../../core/durations';
import type { Entry } from '../../core/entries';
import { resultKey, startedKey } from '../../core/entry-keys';
import { HoldpointError } from '../../core/errors';
import { callPositionOf, type SessionKey } from '../../core/ids';
import type { BeginOutcome, BeginTryInput, RunFence } from '../../core/ports/worker-store';
import { findApproval } from './approval-row';
import { ENTRY_COLUMNS, entryOf } from './entry-row';
import { lockForRun, positionOf } from './lock-session';
import { findEntries } from './read-entries';
import { readClockMs, type Scope, type StoreDatabase } from './store-database';
import type { SessionRow } from './tables';
import { latestTry, type Try, triesOf } from './tries';
import { writeEntries } from './write-entries';

/** A lease outlasts the tool's timeout by this much: the time its owner has to stop the body and write the result. */
const LEASE_SPARE_MS = 10 * SECOND_MS;

/** See `WorkerStore.beginTry`. */
export function beginTry(database: StoreDatabase, fence: RunFence, input: BeginTryInput): Promise<BeginOutcome> {
  return database.write(async (scope) => {
    const row = await lockForRun(scope, fence);
    const key = resultKey(input.callId);
    const result = (await findEntries(scope, fence, [key])).get(key);
    if (result !== undefined) {
      return { status: 'answered', result: entryOf(result), last: positionOf(row) };
    }
    if (input.turn <= row.ended_turn) {
      return { status: 'turn_ended', last: positionOf(row) };
    }
    const latest = latestTry(triesOf(await findTries(scope, fence, input.callId)));
    if (latest !== undefined && !latest.isNotRun && latest.attemptToken === input.attemptToken) {
      return stands(scope, row, 'begun', latest);
    }
    if (latest !== undefined && !latest.isNotRun && latest.try !== input.afterTry) {
      return stands(scope, row, 'busy', latest);
    }
    const refused = await useGrant(scope, fence, input);
    if (refused !== undefined) {
      return { status: 'not_granted', approval: refused.approval, last: positionOf(row) };
    }
    return begin(scope, row, input, (latest?.try ?? 0) + 1);
  });
}

async function findTries({ tx }: Scope, { tenant, sessionId }: SessionKey, callId: string): Promise<readonly Entry[]> {
  const rows = await tx
    .selectFrom('entries')
    .select(ENTRY_COLUMNS)
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('call_id', '=', callId)
    .where('type', 'in', ['tool.started', 'tool.not_run'])
    .orderBy('seq')
    .execute();
  return rows.map(entryOf);
}

async function stands(scope: Scope, row: SessionRow, status: 'begun' | 'busy', latest: Try): Promise<BeginOutcome> {
  const { try: number, leaseUntil } = latest;
  const storeNowMs = await readClockMs(scope);
  return { status, try: number, leaseUntilMs: Date.parse(leaseUntil), storeNowMs, last: positionOf(row) };
}

/** Binds the approval to this call, or says why it may not be used. */
async function useGrant(
  scope: Scope,
  key: SessionKey,
  { approvalId, callId }: BeginTryInput,
): Promise<{ readonly approval: ApprovalStatus | undefined } | undefined> {
  if (approvalId === undefined) {
    return undefined;
  }
  const approval = await findApproval(scope, key, approvalId);
  const status = approval?.status as ApprovalStatus | undefined;
  const isUsable =
    status === 'approved' &&
    approval?.call_id === callId &&
    (approval.used_by === null || approval.used_by === callId) &&
    approval.use_by_ms !== null &&
    approval.use_by_ms >= (await readClockMs(scope));
  if (!isUsable) {
    return { approval: status };
  }
  await scope.tx
    .updateTable('approvals')
    .set({ used_by: callId })
    .where('tenant', '=', key.tenant)
    .where('approval_id', '=', approvalId)
    .execute();
  return undefined;
}

async function begin(scope: Scope, row: SessionRow, input: BeginTryInput, tryNumber: number): Promise<BeginOutcome> {
  const { callId, tool, attemptToken, timeoutMs, idempotencyKey, approvalId, turn, at } = input;
  const position = callPositionOf(callId);
  if (position?.turn !== turn) {
    throw new HoldpointError('internal', `Call ${callId} is not one of turn ${turn}.`);
  }
  const storeNowMs = await readClockMs(scope);
  const leaseUntilMs = storeNowMs + timeoutMs + LEASE_SPARE_MS;
  const { row: written } = await writeEntries(
    scope,
    row,
    [
      {
        key: startedKey(callId, tryNumber),
        type: 'tool.started',
        turn,
        round: position.round,
        callId,
        data: {
          tool,
          try: tryNumber,
          attemptToken,
          leaseUntil: new Date(leaseUntilMs).toISOString(),
          idempotencyKey,
          ...(approvalId === undefined ? {} : { approvalId }),
        },
      },
    ],
    at,
  );
  return { status: 'begun', try: tryNumber, leaseUntilMs, storeNowMs, last: positionOf(written) };
}
