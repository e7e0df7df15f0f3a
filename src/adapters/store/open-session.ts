import { LOG_FORMAT_VERSION, type NewEntry } from '../../core/entries';
import { sessionStartedKey, turnKey } from '../../core/entry-keys';
import type { SessionKey } from '../../core/ids';
import type { OpenedSession, RunFence } from '../../core/ports/worker-store';
import { entryOf } from './entry-row';
import { inboxMessageOf, unsettledDecisions, untakenMessages } from './inbox-row';
import { lockRow, positionOf, requireFence, requireUsable, updateSession } from './lock-session';
import { newSessionRow } from './new-session-row';
import { findEntries } from './read-entries';
import { readClockMs, type Scope, type StoreDatabase } from './store-database';
import type { SessionRow } from './tables';
import { writeEntries } from './write-entries';

/** Messages a session is told of at once: their references go through a workflow, which has to stay small. */
const MAX_UNTAKEN = 500;

/** See `WorkerStore.openSession`. */
export function openSession(
  database: StoreDatabase,
  fence: RunFence,
  input: { readonly agent: string; readonly createRow: boolean; readonly at: string },
): Promise<OpenedSession> {
  return database.write(async (scope) => {
    const found = await lockRow(scope, fence);
    const row = requireUsable(found ?? (input.createRow ? await createRow(scope, fence, input) : undefined), fence);
    await requireFence(scope, fence, row);
    const opened = await startOrCarryOn(scope, row, input.at);
    return {
      agent: opened.agent,
      lastTurn: opened.last_turn,
      openTurn: await findOpenTurn(scope, fence, opened),
      ...(await findUntaken(scope, fence)),
      approvals: await findWaiting(scope, fence, opened),
      last: opened.last_seq === 0 ? undefined : positionOf(opened),
    };
  });
}

/** A session that was started in Temporal alone. Its first run may write at once: nobody else can have claimed it. */
async function createRow(
  scope: Scope,
  fence: RunFence,
  { agent, at }: { readonly agent: string; readonly at: string },
): Promise<SessionRow | undefined> {
  const row = newSessionRow(fence, {
    agent,
    origin: 'temporal',
    run_id: fence.runId,
    start_digest: null,
    created_at: at,
    changed_ms: await readClockMs(scope),
  });
  await scope.tx
    .insertInto('sessions')
    .values(row)
    .onConflict((conflicting) => conflicting.doNothing())
    .execute();
  return lockRow(scope, fence);
}

async function startOrCarryOn(scope: Scope, row: SessionRow, at: string): Promise<SessionRow> {
  const changes = { log_format: LOG_FORMAT_VERSION, stopped: 0, blocked_code: null };
  if (row.opening > 0 && row.closed === 0) {
    return updateSession(scope, row, changes);
  }
  const opening = row.opening + 1;
  const entry: NewEntry = {
    key: sessionStartedKey(opening),
    type: 'session.started',
    data: { agent: row.agent, origin: row.origin, formatVersion: LOG_FORMAT_VERSION },
  };
  const written = await writeEntries(scope, row, [entry], at, { changes: { ...changes, opening } });
  return written.row;
}

async function findOpenTurn(scope: Scope, key: SessionKey, row: SessionRow): Promise<OpenedSession['openTurn']> {
  const turn = row.open_turn;
  if (turn === null) {
    return undefined;
  }
  const entryKey = turnKey(turn);
  const stored = (await findEntries(scope, key, [entryKey])).get(entryKey);
  const entry = stored && entryOf(stored);
  return entry?.type === 'turn.started' ? { turn, messageId: entry.data.messageId } : undefined;
}

async function findUntaken(
  scope: Scope,
  { tenant, sessionId }: SessionKey,
): Promise<Pick<OpenedSession, 'inbox' | 'more'>> {
  const rows = await untakenMessages(scope)
    .select(['id', 'body'])
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .orderBy('position')
    .limit(MAX_UNTAKEN + 1)
    .execute();
  return { inbox: rows.slice(0, MAX_UNTAKEN).map(inboxMessageOf), more: rows.length > MAX_UNTAKEN };
}

/** Open questions of ended turns, and open questions whose answer is stored and waits to be taken. */
async function findWaiting(
  scope: Scope,
  { tenant, sessionId }: SessionKey,
  row: SessionRow,
): Promise<OpenedSession['approvals']> {
  const answered = unsettledDecisions(scope)
    .select('approval_id')
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId);
  const rows = await scope.tx
    .selectFrom('approvals')
    .select(['approval_id', 'kind', 'expires_at'])
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('status', '=', 'pending')
    .where(({ or, eb }) => or([eb('turn', '<=', row.ended_turn), eb('approval_id', 'in', answered)]))
    .orderBy('asked_seq')
    .execute();
  return rows.map(({ approval_id: approvalId, kind, expires_at: expiresAt }) => ({ approvalId, kind, expiresAt }));
}
