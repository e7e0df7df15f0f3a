import { randomBytes } from 'node:crypto';
import type { Insertable, Updateable } from 'kysely';
import type { Entry, NewEntry } from '../../core/entries';
import { HoldpointError } from '../../core/errors';
import type { SessionKey } from '../../core/ids';
import { addUsage, type Usage } from '../../core/messages';
import { entryOf, entryRowOf } from './entry-row';
import { jsonText } from './json-text';
import { updateSession } from './lock-session';
import type { Scope } from './store-database';
import type { EntriesTable, EntryRow, SessionRow, SessionsTable } from './tables';

/** Entries one batch may have; a batch is read back within this many sequences. */
export const MAX_BATCH_ENTRIES = 1_000;
const SALT_BYTES = 16;

/** Entries that were written, and the session's row as it is now. */
export interface Written {
  readonly row: SessionRow;
  readonly entries: readonly Entry[];
}

interface WriteOptions {
  /** Further changes of the session's row. */
  readonly changes?: Updateable<SessionsTable>;
  /** True when each entry is a batch of its own. Default false. */
  readonly isBatchEach?: boolean;
}

/**
 * Writes entries as one batch behind the end of the log, notes those that are to be announced, and keeps the session's
 * row in step. The caller holds the row's lock and has made sure that no key is stored yet.
 */
export async function writeEntries(
  scope: Scope,
  row: SessionRow,
  newEntries: readonly NewEntry[],
  at: string,
  { changes = {}, isBatchEach = false }: WriteOptions = {},
): Promise<Written> {
  if (newEntries.length > MAX_BATCH_ENTRIES) {
    throw new HoldpointError('internal', `A batch of ${newEntries.length} entries is too large.`);
  }
  const rows = chainRows(row, newEntries, at, isBatchEach);
  const last = rows.at(-1);
  if (last === undefined) {
    return { row, entries: [] };
  }
  await scope.tx.insertInto('entries').values(rows).execute();
  await announce(scope, rows);
  let progress = row;
  for (const entry of newEntries) {
    progress = { ...progress, ...progressBy(progress, entry) };
  }
  const updated = await updateSession(scope, row, {
    last_seq: last.seq,
    last_digest: last.digest,
    last_turn: progress.last_turn,
    open_turn: progress.open_turn,
    round: progress.round,
    ended_turn: progress.ended_turn,
    ended_outcome: progress.ended_outcome,
    ended_code: progress.ended_code,
    usage: progress.usage,
    closed: progress.closed,
    ...changes,
  });
  return { row: updated, entries: rows.map((written) => entryOf(written as EntryRow)) };
}

function chainRows(
  row: SessionRow,
  newEntries: readonly NewEntry[],
  at: string,
  isBatchEach: boolean,
): Insertable<EntriesTable>[] {
  const key = { tenant: row.tenant, sessionId: row.session } as SessionKey;
  const first = row.last_seq + 1;
  const rows: Insertable<EntriesTable>[] = [];
  let previousDigest = row.last_digest;
  for (const [index, entry] of newEntries.entries()) {
    const seq = first + index;
    const place = { seq, batch: isBatchEach ? seq : first, previousDigest, at, salt: randomBytes(SALT_BYTES) };
    const written = entryRowOf(key, entry, place);
    rows.push(written);
    previousDigest = written.digest;
  }
  return rows;
}

/** Outbox rows, in the same transaction, for what people outside wait for. */
async function announce({ tx, nowMs }: Scope, rows: readonly Insertable<EntriesTable>[]): Promise<void> {
  const announced = rows.filter(({ type }) => type === 'approval.requested' || type === 'turn.ended');
  if (announced.length > 0) {
    await tx
      .insertInto('outbox')
      .values(announced.map(({ tenant, session, seq, type }) => ({ tenant, session, seq, type, stored_ms: nowMs })))
      .execute();
  }
}

/** What an entry changes about the session it is in. */
function progressBy(row: SessionRow, entry: NewEntry): Partial<SessionRow> {
  switch (entry.type) {
    case 'session.started':
      return { closed: 0 };
    case 'session.closed':
      return { closed: 1 };
    case 'turn.started':
      return { open_turn: entry.turn ?? null, round: 1, last_turn: Math.max(row.last_turn, entry.turn ?? 0) };
    case 'turn.ended':
      return turnEnded(row, entry);
    default: {
      const usage =
        entry.type === 'model.reply'
          ? { usage: jsonText(addUsage(JSON.parse(row.usage) as Usage, entry.data.usage)) }
          : {};
      const isFurther = entry.turn === row.open_turn && entry.round !== undefined && entry.round > (row.round ?? 0);
      return isFurther ? { ...usage, round: entry.round } : usage;
    }
  }
}

function turnEnded(row: SessionRow, entry: NewEntry & { readonly type: 'turn.ended' }): Partial<SessionRow> {
  const turn = entry.turn ?? 0;
  return {
    last_turn: Math.max(row.last_turn, turn),
    ...(row.open_turn === turn ? { open_turn: null, round: null } : {}),
    ...(turn > row.ended_turn
      ? { ended_turn: turn, ended_outcome: entry.data.outcome, ended_code: entry.data.code ?? null }
      : {}),
  };
}
