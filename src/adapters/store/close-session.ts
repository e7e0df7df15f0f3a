import type { LogPosition, NewEntry } from '../../core/entries';
import { sessionClosedKey } from '../../core/entry-keys';
import type { RunFence } from '../../core/ports/worker-store';
import { lockForRun, positionOf } from './lock-session';
import type { StoreDatabase } from './store-database';
import { writeEntries } from './write-entries';

/** See `WorkerStore.closeSession`. */
export function closeSession(
  database: StoreDatabase,
  fence: RunFence,
  input: { readonly reason: string; readonly at: string },
): Promise<{ readonly last: LogPosition | undefined }> {
  return database.write(async (scope) => {
    const row = await lockForRun(scope, fence);
    if (row.closed === 1 || row.opening === 0) {
      return { last: row.last_seq === 0 ? undefined : positionOf(row) };
    }
    const entry: NewEntry = {
      key: sessionClosedKey(row.opening),
      type: 'session.closed',
      data: { reason: input.reason },
    };
    const written = await writeEntries(scope, row, [entry], input.at);
    return { last: positionOf(written.row) };
  });
}
