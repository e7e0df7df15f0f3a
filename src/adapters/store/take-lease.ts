import { sql } from 'kysely';
import type { StoreDatabase } from './store-database';

/** See `SweepStore.takeLease`. */
export function takeLease(database: StoreDatabase, name: string, holder: string, leaseMs: number): Promise<boolean> {
  return database.write(async ({ tx, nowMs }) => {
    const taken = await tx
      .insertInto('leases')
      .values({ name, holder, until_ms: sql<number>`${nowMs} + ${leaseMs}` })
      .onConflict((conflicting) =>
        conflicting
          .column('name')
          .doUpdateSet(({ ref }) => ({ holder: ref('excluded.holder'), until_ms: ref('excluded.until_ms') }))
          .where(({ or, eb }) => or([eb('leases.holder', '=', holder), eb('leases.until_ms', '<=', nowMs)])),
      )
      .returning('holder')
      .execute();
    return taken.length > 0;
  });
}
