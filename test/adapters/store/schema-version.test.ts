import { migrateStore, openStore } from '../../../src/adapters/store/open-store';
import { describeBothStores, makePostgres, makeSqlite } from './both-stores';
import { codeOf } from './session-under-test';

const ALL = [{ name: '0001-first-tables' }, { name: '0002-session-list' }, { name: '0003-session-options' }];

describeBothStores('the schema', (database) => {
  it('is made by a migration and left alone by a repeated one', async () => {
    const { settings, query } = database();
    const applied = () => query('select name from kysely_migration order by name');
    const before = await applied();
    expect(before).toEqual(ALL);
    await migrateStore(settings);
    expect(await applied()).toEqual(before);
    const store = await openStore(settings, { migrate: false });
    await store.ping();
    await store.close();
  });

  it('is made once when several processes migrate at once', async () => {
    const server = process.env['HOLDPOINT_TEST_POSTGRES'] ?? '';
    const made = await (database().settings.kind === 'sqlite' ? makeSqlite() : makePostgres(server));
    try {
      expect(await codeOf(openStore(made.settings, { migrate: false }))).toBe('schema_mismatch');
      await Promise.all([1, 2, 3].map(() => migrateStore(made.settings)));
      expect(await made.query('select name from kysely_migration order by name')).toEqual(ALL);
    } finally {
      await made.drop();
    }
  });

  it('is refused when a newer version has changed it', async () => {
    const { settings, query } = database();
    await query("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00.000Z')");
    expect(await codeOf(openStore(settings, { migrate: false }))).toBe('schema_mismatch');
    expect(await codeOf(openStore(settings, { migrate: true }))).toBe('schema_mismatch');
    expect(await codeOf(migrateStore(settings))).toBe('schema_mismatch');
    await query("delete from kysely_migration where name = '9999-later'");
  });

  it('starts every key and index with the tenant', async () => {
    const { settings, query } = database();
    const columns =
      settings.kind === 'sqlite'
        ? await query(
            `select m.tbl_name as table_name, i.name as column_name
             from sqlite_master m, pragma_index_info(m.name) i where m.type = 'index' and i.seqno = 0`,
          )
        : await query(
            `select t.relname as table_name, a.attname as column_name from pg_index i
             join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
             join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0] where n.nspname = 'public'`,
          );
    const ours = columns.filter((row) => !/^(kysely_|leases$)/.test(String(row['table_name'])));
    expect(ours.length).toBeGreaterThanOrEqual(14);
    expect(new Set(ours.map((row) => row['column_name']))).toEqual(new Set(['tenant']));
  });
});
