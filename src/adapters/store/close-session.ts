import type { LogPosition, NewEntry } from '../../core/entries';
import { sessionClosedKey } from '../../core/entry-keys';
import type { RunFence } from '../../core/ports/worker-store';
import { dropUntakenMessages } from './drop-messages';
import { lockForRun, positionOf } from './lock-session';
import { isFinishedTask } from './session-options';
import type { StoreDatabase } from './store-database';
import { writeEntries } from './write-entries';

/** See `WorkerStore.closeSession`. */
export function closeSession(
  database: StoreDatabase,
  fence: RunFence,
  input: { readonly reason: string; readonly at: string },
): Promise<{ readonly last: LogPosition | undefined }> {
  return database.write(async (scope) => {
    const locked = await lockForRun(scope, fence);
    if (locked.closed === 1 || locked.opening === 0) {
      return { last: locked.last_seq === 0 ? undefined : positionOf(locked) };
    }
    // Its inbox takes no more from now on, so nothing is left behind that would wake it.
    const row = isFinishedTask(locked) ? await dropUntakenMessages(scope, locked, input.at) : locked;
    const entry: NewEntry = {
      key: sessionClosedKey(row.opening),
      type: 'session.closed',
      data: { reason: input.reason },
    };
    const written = await writeEntries(scope, row, [entry], input.at);
    return { last: positionOf(written.row) };
  });
}
