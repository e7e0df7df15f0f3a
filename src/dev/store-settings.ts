import { join } from 'node:path';
import type { StoreSettings } from '../adapters/store/open-store';
import type { StateFolder } from './state-folder';

/** The store of `holdpoint dev`: one SQLite file in the state folder, opened by gateway and worker. */
export function storeSettingsOf(folder: Pick<StateFolder, 'path'>): StoreSettings {
  return { kind: 'sqlite', path: join(folder.path, 'holdpoint.db') };
}
