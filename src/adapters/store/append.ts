import type { EntryType, NewEntry } from '../../core/entries';
import { resultKey } from '../../core/entry-keys';
import { HoldpointError } from '../../core/errors';
import { workflowIdOf } from '../../core/ids';
import type { AppendBatch, Appended, RunFence } from '../../core/ports/worker-store';
import { insertApprovals } from './approval-row';
import { entryOf, saysTheSame } from './entry-row';
import { lockForRun, positionOf } from './lock-session';
import { findEntries, readBatch } from './read-entries';
import type { Scope, StoreDatabase } from './store-database';
import type { EntryRow, SessionRow } from './tables';
import { takeMessages } from './take-messages';
import { writeEntries } from './write-entries';

/** Entries whose data the workflow alone determines: another content under their key means two histories. */
const MADE_BY_WORKFLOW: ReadonlySet<EntryType> = new Set([
  'session.started',
  'session.closed',
  'turn.started',
  'turn.ended',
  'user.message',
]);

/** See `WorkerStore.append`. */
export function append(database: StoreDatabase, fence: RunFence, batch: AppendBatch): Promise<Appended> {
  return database.write(async (scope) => {
    const row = await lockForRun(scope, fence);
    const guarded = batch.onlyWhileOpen?.callId;
    const keys = batch.entries.map(({ key }) => key);
    const stored = await findEntries(scope, fence, guarded === undefined ? keys : [...keys, resultKey(guarded)]);
    const isOnlyMessages = batch.entries.every(({ type }) => type === 'user.message');
    const first = stored.get(batch.entries[0].key);
    if (first !== undefined && !isOnlyMessages) {
      return existingBatch(scope, fence, row, { batch, stored, first });
    }
    if (batch.onlyWhileOpen !== undefined) {
      if (batch.onlyWhileOpen.turn <= row.ended_turn) {
        return { status: 'turn_ended', last: positionOf(row) };
      }
      if (guarded !== undefined && stored.has(resultKey(guarded))) {
        return { status: 'answered', last: positionOf(row) };
      }
    }
    return isOnlyMessages
      ? appendMessages(scope, row, { batch, stored })
      : appendBatch(scope, fence, row, { batch, stored });
  });
}

interface Sent {
  readonly batch: AppendBatch;
  /** What the store holds under the keys of the batch. */
  readonly stored: ReadonlyMap<string, EntryRow>;
}

/** The batch is there: nothing is written. The caller sees by what comes back whether it is the one it meant. */
async function existingBatch(
  scope: Scope,
  fence: RunFence,
  row: SessionRow,
  { batch, stored, first }: Sent & { readonly first: EntryRow },
): Promise<Appended> {
  const isWhole = batch.entries.every(({ key }) => stored.get(key)?.batch === first.batch);
  // A message id that opened or joined another turn is an old message sent again, whatever it says now.
  if (isWhole || first.type !== 'user.message') {
    for (const entry of batch.entries) {
      requireSame(fence, entry, stored.get(entry.key));
    }
  }
  return { status: 'existing', entries: await readBatch(scope, fence, first.batch), last: positionOf(row) };
}

async function appendBatch(scope: Scope, fence: RunFence, row: SessionRow, { batch, stored }: Sent): Promise<Appended> {
  const { entries, at, approvals = [], blobs = [], takes = [] } = batch;
  const known = entries.find(({ key }) => stored.has(key));
  if (known !== undefined) {
    throw conflict(fence, known);
  }
  const written = await writeEntries(scope, row, entries, at);
  await insertApprovals(scope, fence, approvals, written.entries);
  if (blobs.length > 0) {
    const { tenant, sessionId: session } = fence;
    const rows = blobs.map(({ blobId, bytes }) => ({ tenant, session, blob_id: blobId, bytes: Buffer.from(bytes) }));
    await scope.tx
      .insertInto('blobs')
      .values(rows)
      .onConflict((conflicting) => conflicting.doNothing())
      .execute();
  }
  await takeMessages(scope, written.row, takes);
  return { status: 'written', entries: written.entries, last: positionOf(written.row) };
}

/** Messages are each a batch of their own; a known one is skipped, and its stored entry returned in its place. */
async function appendMessages(scope: Scope, row: SessionRow, { batch, stored }: Sent): Promise<Appended> {
  const byKey = new Map<string, NewEntry>();
  for (const entry of batch.entries) {
    if (!stored.has(entry.key) && !byKey.has(entry.key)) {
      byKey.set(entry.key, entry);
    }
  }
  const written = await writeEntries(scope, row, [...byKey.values()], batch.at, { isBatchEach: true });
  await takeMessages(scope, written.row, batch.takes ?? []);
  const known = [...stored.values()].map(entryOf);
  const all = new Map([...known, ...written.entries].map((entry) => [entry.key, entry]));
  const entries = batch.entries.flatMap(({ key }) => all.get(key) ?? []);
  return { status: byKey.size > 0 ? 'written' : 'existing', entries, last: positionOf(written.row) };
}

function requireSame(fence: RunFence, entry: NewEntry, stored: EntryRow | undefined): void {
  if (MADE_BY_WORKFLOW.has(entry.type) && (stored === undefined || !saysTheSame(stored, entry))) {
    throw conflict(fence, entry);
  }
}

function conflict(fence: RunFence, { key }: NewEntry): HoldpointError {
  return new HoldpointError('log_conflict', `Session ${workflowIdOf(fence)} holds another entry under ${key}.`, {
    key,
  });
}
