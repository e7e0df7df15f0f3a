import { migrateStore } from '../adapters/store/open-store';
import { parseStoreAddress, type StoreAddress } from '../config';

/**
 * Brings the tables of the store that the environment names to this version. Forward only; it may be repeated, and run
 * while others do the same. Returns which kind of store it was.
 *
 * Throws HoldpointError `invalid_config`, `schema_mismatch` for tables that a newer version has changed,
 * `store_unavailable`.
 */
export async function migrateConfiguredStore(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<StoreAddress['kind']> {
  const address = parseStoreAddress(environment);
  await migrateStore(address);
  return address.kind;
}
