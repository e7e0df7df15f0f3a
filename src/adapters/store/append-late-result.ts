import type { NewEntry } from '../../core/entries';
import type { SessionKey } from '../../core/ids';
import { lockSession } from './lock-session';
import { hasEntry } from './read-entries';
import type { StoreDatabase } from './store-database';
import { writeEntries } from './write-entries';

/** See `WorkerStore.appendLateResult`. */
export function appendLateResult(database: StoreDatabase, key: SessionKey, entry: NewEntry, at: string): Promise<void> {
  return database.write(async (scope) => {
    const row = await lockSession(scope, key);
    if (!(await hasEntry(scope, key, entry.key))) {
      await writeEntries(scope, row, [entry], at);
    }
  });
}
