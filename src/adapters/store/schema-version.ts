import { DEFAULT_MIGRATION_TABLE, type Kysely, type Migration, Migrator, sql } from 'kysely';
import { HoldpointError } from '../../core/errors';
import { firstTables } from './migrations/0001-first-tables';
import { sessionList } from './migrations/0002-session-list';
import { sessionOptions } from './migrations/0003-session-options';
import type { StoreDatabase } from './store-database';
import type { StoreDialect } from './store-dialect';
import type { Tables } from './tables';

/**
 * Brings an opened database to this version's tables. Forward only; several processes may do it at the same time.
 * Throws HoldpointError `schema_mismatch` for a database a newer version has migrated, `store_unavailable`.
 */
export async function migrateDatabase(database: StoreDatabase, blobType: StoreDialect['blobType']): Promise<void> {
  const migrations = migrationsFor(blobType);
  const migrator = new Migrator({
    db: database.writer,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
  await database.patiently(async () => {
    refuseUnknown(await appliedNames(database.writer), migrations);
    // The migrator returns its error instead of throwing it.
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) {
      throw error as Error;
    }
  });
}

/** Throws HoldpointError `schema_mismatch` unless the database has exactly this version's tables. */
export async function checkSchemaVersion(database: StoreDatabase, blobType: StoreDialect['blobType']): Promise<void> {
  const migrations = migrationsFor(blobType);
  const applied = await database.patiently(() => appliedNames(database.writer));
  refuseUnknown(applied, migrations);
  const missing = Object.keys(migrations).filter((name) => !applied.includes(name));
  if (missing.length > 0) {
    throw mismatch(`lacks ${missing.join(', ')}`);
  }
}

/** Names sort in the order they run; a name that was released never changes. */
function migrationsFor(blobType: StoreDialect['blobType']): Record<string, Migration> {
  return {
    '0001-first-tables': { up: (database: Kysely<unknown>) => firstTables(database, blobType) },
    '0002-session-list': { up: sessionList },
    '0003-session-options': { up: sessionOptions },
  };
}

function refuseUnknown(applied: readonly string[], migrations: Record<string, Migration>): void {
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) {
    throw mismatch(`was changed by a newer version (${unknown.join(', ')})`);
  }
}

async function appliedNames(database: Kysely<Tables>): Promise<readonly string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) {
    return [];
  }
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(database);
  return rows.map(({ name }) => name);
}

function mismatch(fault: string): HoldpointError {
  return new HoldpointError('schema_mismatch', `The store does not fit this version of holdpoint: it ${fault}.`);
}
