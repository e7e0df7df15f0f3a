import { sql } from 'kysely';
import type { Entry } from '../../core/entries';
import type { SessionKey } from '../../core/ids';
import { ENTRY_COLUMNS, entryOf, MAX_SEQ } from './entry-row';
import { requireUsable } from './lock-session';
import { pageLength } from './page-length';
import type { Scope, StoreDatabase } from './store-database';
import type { EntryRow, SessionRow } from './tables';
import { MAX_BATCH_ENTRIES } from './write-entries';

/** A session's row, without a lock; undefined for an unknown session. */
export async function findSession({ tx }: Scope, key: SessionKey): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where('tenant', '=', key.tenant)
    .where('session', '=', key.sessionId)
    .executeTakeFirst();
}

/** See `WorkerStore.readEntries`. */
export function readEntries(
  database: StoreDatabase,
  key: SessionKey,
  after: number,
  limit: number,
): Promise<readonly Entry[]> {
  return database.read(async (scope) => {
    requireUsable(await findSession(scope, key), key);
    return pageOf(scope, key, after, limit);
  });
}

/** See `GatewayStore.listEntries`. */
export function listEntries(
  database: StoreDatabase,
  key: SessionKey,
  after: number,
  limit: number,
  maxBytes?: number,
): Promise<readonly Entry[] | undefined> {
  return database.read(async (scope) => {
    const row = await findSession(scope, key);
    if (row === undefined) {
      return undefined;
    }
    requireUsable(row, key);
    const place = Math.min(after, MAX_SEQ);
    const sizes = await sizesOf(scope, key, place, limit);
    return pageOf(scope, key, place, pageLength(sizes, maxBytes));
  });
}

/** See `WorkerStore.readEntry`. */
export async function readEntry(
  database: StoreDatabase,
  key: SessionKey,
  entryKey: string,
): Promise<Entry | undefined> {
  return (await readEntriesOf(database, key, [entryKey])).get(entryKey);
}

/** See `WorkerStore.readEntriesOf`. */
export function readEntriesOf(
  database: StoreDatabase,
  key: SessionKey,
  entryKeys: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  return database.read(async (scope) => {
    requireUsable(await findSession(scope, key), key);
    const rows = await findEntries(scope, key, entryKeys);
    return new Map([...rows].map(([entryKey, row]) => [entryKey, entryOf(row)]));
  });
}

/** The stored entries among some keys, by key. */
export async function findEntries(
  { tx }: Scope,
  { tenant, sessionId }: SessionKey,
  keys: readonly string[],
): Promise<ReadonlyMap<string, EntryRow>> {
  if (keys.length === 0) {
    return new Map();
  }
  const rows = await tx
    .selectFrom('entries')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.key, row]));
}

/** True when an entry of this key is stored. */
export async function hasEntry({ tx }: Scope, { tenant, sessionId }: SessionKey, entryKey: string): Promise<boolean> {
  const row = await tx
    .selectFrom('entries')
    .select('seq')
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('key', '=', entryKey)
    .executeTakeFirst();
  return row !== undefined;
}

/** All entries that were written together with the first one of their batch. */
export async function readBatch(
  { tx }: Scope,
  { tenant, sessionId }: SessionKey,
  batch: number,
): Promise<readonly Entry[]> {
  const rows = await tx
    .selectFrom('entries')
    .select(ENTRY_COLUMNS)
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('seq', '>=', batch)
    .where('seq', '<', batch + MAX_BATCH_ENTRIES)
    .where('batch', '=', batch)
    .orderBy('seq')
    .execute();
  return rows.map(entryOf);
}

/** Bytes of the entries a page may have, in their order; nothing of their text is read. */
async function sizesOf(
  { tx }: Scope,
  { tenant, sessionId }: SessionKey,
  after: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom('entries')
    .select(sql<number>`coalesce(octet_length(data), 0)`.as('bytes'))
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(({ bytes }) => bytes);
}

async function pageOf(
  { tx }: Scope,
  { tenant, sessionId }: SessionKey,
  after: number,
  limit: number,
): Promise<readonly Entry[]> {
  const rows = await tx
    .selectFrom('entries')
    .select(ENTRY_COLUMNS)
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(entryOf);
}
