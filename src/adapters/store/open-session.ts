import { LOG_FORMAT_VERSION, type NewEntry } from '../../core/entries';
import { sessionStartedKey, turnKey } from '../../core/entry-keys';
import type { SessionKey } from '../../core/ids';
import type { OpenedSession, OpenSessionStoreInput, RunFence } from '../../core/ports/worker-store';
import type { TurnOutcome } from '../../core/sessions';
import { entryOf } from './entry-row';
import { inboxMessageOf, unsettledDecisions, untakenMessages } from './inbox-row';
import { lockRow, positionOf, requireFence, requireUsable, updateSession } from './lock-session';
import { newSessionRow } from './new-session-row';
import { findEntries } from './read-entries';
import { isFinishedTask, optionsOf, requireFittingStart } from './session-options';
import { readClockMs, type Scope, type StoreDatabase } from './store-database';
import type { SessionRow } from './tables';
import { writeEntries } from './write-entries';

/** Messages a session is told of at once: their references go through a workflow, which has to stay small. */
const MAX_UNTAKEN = 500;

/** See `WorkerStore.openSession`. */
export function openSession(
  database: StoreDatabase,
  fence: RunFence,
  input: OpenSessionStoreInput,
): Promise<OpenedSession> {
  return database.write(async (scope) => {
    const found = await lockRow(scope, fence);
    const row = requireUsable(found ?? (input.createRow ? await createRow(scope, fence, input) : undefined), fence);
    await requireFence(scope, fence, row);
    requireFittingStart(row, fence, input);
    const opened = await startOrCarryOn(scope, row, input.at);
    return {
      agent: opened.agent,
      limits: optionsOf(opened).limits,
      task: opened.mode === 'task' ? await findEndOfTask(scope, fence, opened) : undefined,
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
  { agent, at, createRow: _createRow, widening: _widening, ...options }: OpenSessionStoreInput,
): Promise<SessionRow | undefined> {
  const row = newSessionRow(fence, options, {
    agent,
    origin: 'temporal',
    run_id: fence.runId,
    start_digest: null,
    announced: 0,
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
  const changes = { log_format: LOG_FORMAT_VERSION, stopped: 0, announced: 0, blocked_code: null };
  if ((row.opening > 0 && row.closed === 0) || isFinishedTask(row)) {
    return updateSession(scope, row, changes);
  }
  const opening = row.opening + 1;
  const { mode, limits } = optionsOf(row);
  const entry: NewEntry = {
    key: sessionStartedKey(opening),
    type: 'session.started',
    data: {
      agent: row.agent,
      origin: row.origin,
      formatVersion: LOG_FORMAT_VERSION,
      ...(mode === 'task' ? { task: true as const } : {}),
      ...(limits === undefined ? {} : { limits }),
    },
  };
  const written = await writeEntries(scope, row, [entry], at, { changes: { ...changes, opening } });
  return written.row;
}

async function findOpenTurn(scope: Scope, key: SessionKey, row: SessionRow): Promise<OpenedSession['openTurn']> {
  const turn = row.open_turn;
  const messageId = turn === null ? undefined : await findOpening(scope, key, turn);
  return turn === null || messageId === undefined ? undefined : { turn, messageId };
}

async function findEndOfTask(scope: Scope, key: SessionKey, row: SessionRow): Promise<OpenedSession['task']> {
  const turn = row.ended_turn;
  const messageId = isFinishedTask(row) ? await findOpening(scope, key, turn) : undefined;
  if (messageId === undefined) {
    return {};
  }
  const code = row.ended_code === null ? {} : { code: row.ended_code };
  return { ended: { turn, messageId, outcome: row.ended_outcome as TurnOutcome, ...code } };
}

/** The message that opened a turn. */
async function findOpening(scope: Scope, key: SessionKey, turn: number): Promise<string | undefined> {
  const entryKey = turnKey(turn);
  const stored = (await findEntries(scope, key, [entryKey])).get(entryKey);
  const entry = stored && entryOf(stored);
  return entry?.type === 'turn.started' ? entry.data.messageId : undefined;
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
