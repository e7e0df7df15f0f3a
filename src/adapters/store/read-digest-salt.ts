import type { SessionKey } from '../../core/ids';
import { requireUsable } from './lock-session';
import { findSession } from './read-entries';
import type { StoreDatabase } from './store-database';

/** See `WorkerStore.readDigestSalt`. */
export function readDigestSalt(database: StoreDatabase, key: SessionKey): Promise<Uint8Array> {
  return database.read(async (scope) => requireUsable(await findSession(scope, key), key).digest_salt);
}
