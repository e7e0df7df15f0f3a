import type { SessionKey } from '../../core/ids';
import { lockSession, updateSession } from './lock-session';
import type { StoreDatabase } from './store-database';

/** See `WorkerStore.setBlocked`. */
export function setBlocked(database: StoreDatabase, key: SessionKey, code: string | undefined): Promise<void> {
  return database.write(async (scope) => {
    await updateSession(scope, await lockSession(scope, key), { blocked_code: code ?? null });
  });
}

/** See `SweepStore.markStopped`. */
export function markStopped(database: StoreDatabase, key: SessionKey): Promise<void> {
  return database.write(async (scope) => {
    await updateSession(scope, await lockSession(scope, key), { stopped: 1 });
  });
}
