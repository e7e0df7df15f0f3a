import type { Insertable } from 'kysely';
import type { Entry, NewEntry } from '../../core/entries';
import type { SessionKey } from '../../core/ids';
import { entryDataDigest, entryDigest } from '../../digests/entry-digest';
import type { EntriesTable, EntryRow } from './tables';

/** Columns an entry is read with; salt and inner digest stay in the store. */
export const ENTRY_COLUMNS = [
  'seq',
  'batch',
  'key',
  'type',
  'turn',
  'round',
  'call_id',
  'data',
  'digest',
  'at',
] as const satisfies readonly (keyof EntryRow)[];

/** Largest sequence the tables can hold. Postgres refuses to compare one with a larger number. */
export const MAX_SEQ = 2_147_483_647;

/** The entry a row holds. Rows of erased sessions are never read. */
export function entryOf(row: Pick<EntryRow, (typeof ENTRY_COLUMNS)[number]>): Entry {
  return {
    seq: row.seq,
    batch: row.batch,
    key: row.key,
    type: row.type,
    ...(row.turn === null ? {} : { turn: row.turn }),
    ...(row.round === null ? {} : { round: row.round }),
    ...(row.call_id === null ? {} : { callId: row.call_id }),
    data: JSON.parse(row.data ?? 'null'),
    at: row.at,
    digest: row.digest,
  } as Entry;
}

/** Where a new entry goes: behind the last one. */
export interface EntryPlace {
  readonly seq: number;
  readonly batch: number;
  readonly previousDigest: string | null;
  readonly at: string;
  /** Random, for this entry alone. */
  readonly salt: Buffer;
}

/** The row of a new entry. Throws HoldpointError `not_canonical` for data that JSON can't carry without loss. */
export function entryRowOf(
  { tenant, sessionId }: SessionKey,
  entry: NewEntry,
  { seq, batch, previousDigest, at, salt }: EntryPlace,
): Insertable<EntriesTable> {
  const { key, type } = entry;
  const dataDigest = entryDataDigest(salt, entry.data);
  const place = { turn: entry.turn ?? null, round: entry.round ?? null };
  const callId = entry.callId ?? null;
  const parts = { previousDigest, tenant, sessionId, seq, key, type, ...place, callId, at, dataDigest };
  return {
    tenant,
    session: sessionId,
    seq,
    key,
    batch,
    type,
    ...place,
    call_id: callId,
    data: JSON.stringify(entry.data),
    salt,
    data_digest: dataDigest,
    digest: entryDigest(parts),
    previous_digest: previousDigest,
    at,
  };
}

/** True when a stored row says what an entry says. Time and digest do not count: they differ for every writing. */
export function saysTheSame(row: EntryRow, entry: NewEntry): boolean {
  return (
    row.type === entry.type &&
    row.turn === (entry.turn ?? null) &&
    row.round === (entry.round ?? null) &&
    row.call_id === (entry.callId ?? null) &&
    row.salt !== null &&
    row.data_digest === entryDataDigest(row.salt, entry.data)
  );
}
