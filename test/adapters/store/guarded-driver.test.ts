import { sql } from 'kysely';
import { postgresDialect } from '../../../src/adapters/store/postgres-dialect';
import { sqliteDialect } from '../../../src/adapters/store/sqlite-dialect';
import { StoreDatabase } from '../../../src/adapters/store/store-database';
import { describeBothStores } from './both-stores';
import { codeOf } from './session-under-test';

describeBothStores('a guarded connection', (database) => {
  let guarded: StoreDatabase;

  beforeAll(() => {
    const { settings } = database();
    const dialect =
      settings.kind === 'sqlite' ? sqliteDialect(settings.path) : postgresDialect(settings.connectionString);
    guarded = new StoreDatabase(dialect);
  });

  afterAll(() => guarded.close());

  it.each<[string, unknown]>([
    ['a string with NUL', 'a\u0000b'],
    ['a lone surrogate', '\ud800'],
    ['an integer beyond 2^53', 9007199254740992],
    ['a fraction', 0.5],
    ['NaN', Number.NaN],
    ['undefined', undefined],
    ['a date', new Date(0)],
    ['an object', {}],
    ['a plain byte array', new Uint8Array(1)],
    ['a symbol', Symbol('a')],
  ])('refuses to bind %s', async (_name, value) => {
    expect(await codeOf(guarded.write(({ tx }) => sql`select ${value} as value`.execute(tx)))).toBe('not_canonical');
  });

  it('refuses to bind a boolean where that would end the process', async () => {
    const code = await codeOf(guarded.write(({ tx }) => sql`select ${true} as value`.execute(tx)));
    expect(code).toBe(database().settings.kind === 'sqlite' ? 'not_canonical' : 'nothing');
  });

  it('gives back strings, whole numbers, bytes and null as they were', async () => {
    const bytes = Buffer.from([0, 255, 1]);
    const number = Number.MAX_SAFE_INTEGER;
    const isSqlite = database().settings.kind === 'sqlite';
    const query = isSqlite
      ? sql`select ${'\u{1f600} \u0001'} as text, ${number} as number, ${bytes} as bytes, ${null} as absent`
      : sql`select ${'\u{1f600} \u0001'}::text as text, ${number}::bigint as number, ${bytes}::bytea as bytes,
                   ${null}::text as absent`;
    const { rows } = await guarded.read(({ tx }) => query.execute(tx));
    expect(rows).toEqual([{ text: '\u{1f600} \u0001', number, bytes, absent: null }]);
  });

  it('writes durably', async () => {
    if (database().settings.kind === 'sqlite') {
      const pragma = (name: string) =>
        guarded.patiently(() => sql<Record<string, unknown>>`${sql.raw(`pragma ${name}`)}`.execute(guarded.writer));
      expect((await pragma('journal_mode')).rows).toEqual([{ journal_mode: 'wal' }]);
      expect((await pragma('synchronous')).rows).toEqual([{ synchronous: 2 }]);
      expect((await pragma('busy_timeout')).rows).toEqual([{ timeout: 50 }]);
    } else {
      const { rows } = await guarded.write(({ tx }) => sql`show synchronous_commit`.execute(tx));
      expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    }
  });

  it('can not write in a transaction that reads', async () => {
    const isSqlite = database().settings.kind === 'sqlite';
    const writing = guarded.read(({ tx }) =>
      tx.insertInto('leases').values({ name: 'a', holder: 'b', until_ms: 1 }).execute(),
    );
    // SQLite knows no read-only transaction; that half of the rule is Postgres's.
    expect(await codeOf(writing)).toBe(isSqlite ? 'nothing' : 'store_unavailable');
  });
});
