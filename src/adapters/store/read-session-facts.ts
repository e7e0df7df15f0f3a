import { type Entry, type EntryType, isEntry } from '../../core/entries';
import { turnKey } from '../../core/entry-keys';
import type { SessionKey } from '../../core/ids';
import type {
  BegunWrite,
  EntryFact,
  OpenQuestion,
  SessionFacts,
  StoredAnswer,
  WaitingMessages,
} from '../../core/session-facts';
import { approvalBodyOf } from './approval-row';
import { ENTRY_COLUMNS, entryOf } from './entry-row';
import { unsettledDecisions, wakingMessages } from './inbox-row';
import { findEntries } from './read-entries';
import { findView } from './session-view';
import { readClockMs, type Scope, type StoreDatabase } from './store-database';
import type { SessionRow } from './tables';
import { latestTry, triesOf } from './tries';

/** Of each kind this many are told; a session that has more is no better understood by all of them. */
const MOST_TOLD = 100;
const LAST_ENTRIES = 10;
/** Entries that say how far the open turn has got. They hold no text of people or models. */
const PROGRESS: readonly EntryType[] = ['model.retry', 'tool.started', 'tool.not_run'];

/** See `GatewayStore.readSessionFacts`. */
export function readSessionFacts(database: StoreDatabase, key: SessionKey): Promise<SessionFacts | undefined> {
  return database.read(async (scope) => {
    const found = await findView(scope, key);
    if (found === undefined) {
      return undefined;
    }
    const { row, view } = found;
    return {
      session: view,
      storeTime: new Date(await readClockMs(scope)).toISOString(),
      isStopped: row.stopped === 1,
      questions: await findQuestions(scope, key),
      answers: await findAnswers(scope, key),
      messages: await countMessages(scope, key),
      ...(await findProgress(scope, key, row)),
      lastEntries: await findLastEntries(scope, key),
    };
  });
}

async function findQuestions({ tx }: Scope, { tenant, sessionId }: SessionKey): Promise<readonly OpenQuestion[]> {
  const rows = await tx
    .selectFrom('approvals')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('status', '=', 'pending')
    .orderBy('asked_seq')
    .limit(MOST_TOLD)
    .execute();
  return rows.map((row) => {
    const { tool, summary } = approvalBodyOf(row);
    return {
      approvalId: row.approval_id,
      kind: row.kind,
      turn: row.turn,
      callId: row.call_id,
      tool,
      summary,
      requestedAt: row.requested_at,
      expiresAt: row.expires_at,
    };
  });
}

async function findAnswers(scope: Scope, { tenant, sessionId }: SessionKey): Promise<readonly StoredAnswer[]> {
  const rows = await unsettledDecisions(scope)
    .select(['approval_id', 'id', 'at', 'delivered_ms'])
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .orderBy('position')
    .limit(MOST_TOLD)
    .execute();
  return rows.map((row) => ({
    approvalId: row.approval_id ?? '',
    decisionId: row.id,
    at: row.at,
    isDelivered: row.delivered_ms !== null,
  }));
}

async function countMessages(scope: Scope, { tenant, sessionId }: SessionKey): Promise<WaitingMessages> {
  const rows = await wakingMessages(scope)
    .select(['at', 'delivered_ms'])
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .orderBy('position')
    .execute();
  return {
    count: rows.length,
    undelivered: rows.filter((row) => row.delivered_ms === null).length,
    oldestAt: rows[0]?.at ?? null,
  };
}

/** What the open turn has tried so far, read from its first entry on. */
async function findProgress(
  scope: Scope,
  key: SessionKey,
  row: SessionRow,
): Promise<Pick<SessionFacts, 'retries' | 'begun'>> {
  const start = row.open_turn === null ? undefined : (await findEntries(scope, key, [turnKey(row.open_turn)])).values();
  const [started] = [...(start ?? [])];
  if (started === undefined) {
    return { retries: [], begun: [] };
  }
  const ofTurn = scope.tx
    .selectFrom('entries')
    .where('tenant', '=', key.tenant)
    .where('session', '=', key.sessionId)
    .where('seq', '>=', started.seq)
    .where('turn', '=', row.open_turn);
  const progress = (await ofTurn.select(ENTRY_COLUMNS).where('type', 'in', PROGRESS).orderBy('seq').execute()).map(
    entryOf,
  );
  const answered = await ofTurn.select('call_id').where('type', '=', 'tool.result').execute();
  const isAnswered = new Set(answered.map((result) => result.call_id));
  return {
    retries: progress.flatMap((entry) =>
      isEntry(entry, 'model.retry') && entry.round === row.round
        ? { attempt: entry.data.attempt, code: entry.data.code, at: entry.at }
        : [],
    ),
    begun: begunWrites(progress.filter(({ callId }) => callId !== undefined && !isAnswered.has(callId))),
  };
}

function begunWrites(entries: readonly Entry[]): readonly BegunWrite[] {
  const tries = triesOf(entries);
  return [...new Set(tries.map(({ callId }) => callId))].flatMap((callId) => {
    const latest = latestTry(tries.filter((other) => other.callId === callId));
    const entry = entries.find(
      (other) => isEntry(other, 'tool.started') && other.callId === callId && other.data.try === latest?.try,
    );
    return latest === undefined || latest.isNotRun || !isEntry(entry, 'tool.started')
      ? []
      : { callId, tool: entry.data.tool, try: latest.try, startedAt: entry.at, leaseUntil: latest.leaseUntil };
  });
}

async function findLastEntries({ tx }: Scope, { tenant, sessionId }: SessionKey): Promise<readonly EntryFact[]> {
  const rows = await tx
    .selectFrom('entries')
    .select(['seq', 'type', 'turn', 'round', 'call_id', 'at'])
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .orderBy('seq', 'desc')
    .limit(LAST_ENTRIES)
    .execute();
  return rows.reverse().map(({ seq, type, turn, round, call_id: callId, at }) => ({
    seq,
    type: type as EntryType,
    turn,
    round,
    ...(callId === null ? {} : { callId }),
    at,
  }));
}
