import type { SessionKey } from '../../core/ids';
import type { StoreDatabase } from './store-database';

/** See `WorkerStore.readBlob`. */
export function readBlob(
  database: StoreDatabase,
  { tenant, sessionId }: SessionKey,
  blobId: string,
): Promise<Uint8Array | undefined> {
  return database.read(async ({ tx }) => {
    const row = await tx
      .selectFrom('blobs')
      .select('bytes')
      .where('tenant', '=', tenant)
      .where('session', '=', sessionId)
      .where('blob_id', '=', blobId)
      .executeTakeFirst();
    return row?.bytes;
  });
}
