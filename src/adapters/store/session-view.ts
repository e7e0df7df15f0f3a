import type { SessionKey } from '../../core/ids';
import type { Usage } from '../../core/messages';
import type { GatewayStore, SessionPage } from '../../core/ports/gateway-store';
import type { SessionStatus, SessionView, TurnOutcome } from '../../core/sessions';
import { requireUsable } from './lock-session';
import { optionsOf } from './session-options';
import { sessionStatus } from './session-status';
import type { Scope, StoreDatabase } from './store-database';
import type { SessionRow } from './tables';

/** A session's row with what it is doing. */
type RowWithStatus = SessionRow & { readonly status: SessionStatus };

/** See `GatewayStore.readSession`. */
export function readSession(database: StoreDatabase, key: SessionKey): Promise<SessionView | undefined> {
  return database.read(async (scope) => (await findView(scope, key))?.view);
}

/** A session as others read it, with its row; undefined for an unknown one. Throws what `requireUsable` throws. */
export async function findView(
  scope: Scope,
  key: SessionKey,
): Promise<{ readonly row: SessionRow; readonly view: SessionView } | undefined> {
  const row = await selectRows(scope)
    .where('sessions.tenant', '=', key.tenant)
    .where('sessions.session', '=', key.sessionId)
    .executeTakeFirst();
  if (row === undefined) {
    return undefined;
  }
  requireUsable(row, key);
  const [view] = await viewsOf(scope, key.tenant, [row]);
  return view && { row, view };
}

/** See `GatewayStore.listSessions`. */
export function listSessions(
  database: StoreDatabase,
  tenant: string,
  { status, agent, after, limit }: Parameters<GatewayStore['listSessions']>[1],
): Promise<SessionPage> {
  return database.read(async (scope) => {
    const rows = await selectRows(scope)
      .where('sessions.tenant', '=', tenant)
      .where('sessions.state', '=', 'active')
      .$if(agent !== undefined, (query) => query.where('sessions.agent', '=', agent ?? ''))
      .$if(status !== undefined, (query) => query.where(sessionStatus(scope), '=', status ?? 'idle'))
      .$if(after !== undefined, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('sessions.created_at', 'sessions.session'),
            '<',
            tuple<string, string>(after?.createdAt ?? '', after?.sessionId ?? ''),
          ),
        ),
      )
      .orderBy('sessions.created_at', 'desc')
      .orderBy('sessions.session', 'desc')
      // One more than asked for tells whether there are more.
      .limit(limit + 1)
      .execute();
    const sessions = await viewsOf(scope, tenant, rows.slice(0, limit));
    const last = sessions.at(-1);
    return {
      sessions,
      next:
        last === undefined || rows.length <= limit ? null : { createdAt: last.createdAt, sessionId: last.sessionId },
    };
  });
}

function selectRows(scope: Scope) {
  return scope.tx.selectFrom('sessions').selectAll('sessions').select(sessionStatus(scope).as('status'));
}

async function viewsOf(scope: Scope, tenant: string, rows: readonly RowWithStatus[]): Promise<readonly SessionView[]> {
  const questions = await findPending(
    scope,
    tenant,
    rows.map((row) => row.session),
  );
  return rows.map((row) => viewOf(row, questions.get(row.session) ?? []));
}

function viewOf(row: RowWithStatus, openApprovals: readonly string[]): SessionView {
  return {
    sessionId: row.session,
    agent: row.agent,
    ...optionsOf(row),
    status: row.status,
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
    openApprovals,
    usage: JSON.parse(row.usage) as Usage,
    lastSeq: row.last_seq,
    createdAt: row.created_at,
  };
}

/** Ids of the open questions of some sessions, in the order they were asked. */
async function findPending(
  { tx }: Scope,
  tenant: string,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (sessions.length === 0) {
    return new Map();
  }
  const rows = await tx
    .selectFrom('approvals')
    .select(['session', 'approval_id'])
    .where('tenant', '=', tenant)
    .where('session', 'in', sessions)
    .where('status', '=', 'pending')
    .orderBy('asked_seq')
    .execute();
  const bySession = new Map<string, string[]>();
  for (const { session, approval_id: approvalId } of rows) {
    bySession.set(session, [...(bySession.get(session) ?? []), approvalId]);
  }
  return bySession;
}
