import { Kysely, Migrator } from 'kysely';
import { firstTables } from '../../../src/adapters/store/migrations/0001-first-tables';
import { openStore, type StoreSettings } from '../../../src/adapters/store/open-store';
import { postgresDialect } from '../../../src/adapters/store/postgres-dialect';
import { sqliteDialect } from '../../../src/adapters/store/sqlite-dialect';
import { digestOf } from '../../../src/digests/digest-of';
import { describeBothStores, makePostgres, makeSqlite } from './both-stores';
import { AT, codeOf, logOf, message, newKey, RUN } from './session-under-test';

function dialectOf(settings: StoreSettings) {
  return settings.kind === 'sqlite' ? sqliteDialect(settings.path) : postgresDialect(settings.connectionString);
}

/** The tables of the first release, made by its own migration. */
async function makeFirstTables(settings: StoreSettings): Promise<void> {
  const { writer, blobType } = dialectOf(settings);
  const db = new Kysely<unknown>({ dialect: writer });
  const up = (database: Kysely<unknown>) => firstTables(database, blobType);
  const migrations = { '0001-first-tables': { up } };
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  await db.destroy();
  expect(error).toBeUndefined();
}

describeBothStores('a store of the first release', (database) => {
  it('is brought up to date with what is in it, and goes on', async () => {
    const server = process.env['HOLDPOINT_TEST_POSTGRES'] ?? '';
    const made = await (database().settings.kind === 'sqlite' ? makeSqlite() : makePostgres(server));
    try {
      await makeFirstTables(made.settings);
      const key = newKey();
      const salt = made.settings.kind === 'sqlite' ? "x'00'" : String.raw`'\x00'`;
      const start = digestOf(['workspace', message('m1')]);
      await made.query(
        `insert into sessions (tenant, session, agent, origin, state, log_format, run_id, stopped, closed, opening,
           last_seq, last_turn, ended_turn, usage, last_inbox, start_digest, digest_salt, created_at, changed_ms)
         values ('${key.tenant}', '${key.sessionId}', 'workspace', 'gateway', 'active', 1, '${RUN}', 0, 0, 0, 0, 0, 0,
           '{"inputTokens":0,"outputTokens":0}', 0, '${start}', ${salt}, '${AT}', 1)`,
      );
      expect(await codeOf(openStore(made.settings, { migrate: false }))).toBe('schema_mismatch');

      const store = await openStore(made.settings, { migrate: true });
      const view = await store.readSession(key);
      expect(view).toMatchObject({ agent: 'workspace', mode: 'conversation', status: 'idle' });
      expect(view).not.toHaveProperty('limits');
      const repeated = { ...key, agent: 'workspace', message: message('m1'), at: AT };
      expect(await store.createSession(repeated)).toMatchObject({ status: 'same' });
      await store.openSession({ ...key, runId: RUN }, { agent: 'workspace', createRow: false, at: AT });
      expect((await logOf(store, key)).map(({ type, data }) => [type, data])).toEqual([
        ['session.started', { agent: 'workspace', origin: 'gateway', formatVersion: 1 }],
      ]);
      await store.close();
    } finally {
      await made.drop();
    }
  });
});
