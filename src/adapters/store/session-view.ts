import type { SessionKey } from '../../core/ids';
import type { Usage } from '../../core/messages';
import type { SessionStatus, SessionView, TurnOutcome } from '../../core/sessions';
import { wakingMessages } from './inbox-row';
import { requireUsable } from './lock-session';
import { findSession } from './read-entries';
import { optionsOf } from './session-options';
import type { Scope, StoreDatabase } from './store-database';
import type { SessionRow } from './tables';

/** See `GatewayStore.readSession`. */
export function readSession(database: StoreDatabase, key: SessionKey): Promise<SessionView | undefined> {
  return database.read(async (scope) => {
    const found = await findSession(scope, key);
    if (found === undefined) {
      return undefined;
    }
    const row = requireUsable(found, key);
    const approvals = await findPending(scope, row);
    const isAwaited = await hasWaking(scope, row);
    return {
      sessionId: row.session,
      agent: row.agent,
      ...optionsOf(row),
      status: statusOf(row, approvals, isAwaited),
      ...(row.blocked_code === null ? {} : { blockedCode: row.blocked_code }),
      turn: row.open_turn,
      round: row.round,
      lastTurn:
        row.ended_turn === 0
          ? null
          : {
              turn: row.ended_turn,
              outcome: row.ended_outcome as TurnOutcome,
              ...(row.ended_code === null ? {} : { code: row.ended_code }),
            },
      openApprovals: approvals.map(({ approvalId }) => approvalId),
      usage: JSON.parse(row.usage) as Usage,
      lastSeq: row.last_seq,
      createdAt: row.created_at,
    };
  });
}

interface PendingApproval {
  readonly approvalId: string;
  readonly turn: number;
}

/**
 * A message that wakes and that nobody took means work to come, also for a closed session: it is about to be opened
 * again. One that wakes nothing may lie there for ever, and so may all of them in a session that was only announced.
 */
function statusOf(row: SessionRow, approvals: readonly PendingApproval[], isAwaited: boolean): SessionStatus {
  if (row.closed === 1 && !isAwaited) {
    return 'closed';
  }
  if (row.blocked_code !== null) {
    return 'blocked';
  }
  if (approvals.some(({ turn }) => turn === row.open_turn)) {
    return 'waiting_for_approval';
  }
  return (isAwaited && row.announced === 0) || row.open_turn !== null ? 'running' : 'idle';
}

async function findPending({ tx }: Scope, row: SessionRow): Promise<readonly PendingApproval[]> {
  const rows = await tx
    .selectFrom('approvals')
    .select(['approval_id', 'turn'])
    .where('tenant', '=', row.tenant)
    .where('session', '=', row.session)
    .where('status', '=', 'pending')
    .orderBy('asked_seq')
    .execute();
  return rows.map(({ approval_id: approvalId, turn }) => ({ approvalId, turn }));
}

async function hasWaking(scope: Scope, row: SessionRow): Promise<boolean> {
  const message = await wakingMessages(scope)
    .select('id')
    .where('tenant', '=', row.tenant)
    .where('session', '=', row.session)
    // The order makes SQLite take the small index of what is untaken, not the one of all that ever came in.
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  return message !== undefined;
}
