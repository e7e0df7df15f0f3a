import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client } from 'pg';
import { openStore } from '../../../src/adapters/store/open-store';
import type { SessionStore } from '../../../src/core/ports/session-store';
import { makePostgres } from './both-stores';
import { AT, codeOf, logOf, result, sessionInTurn } from './session-under-test';

const server = process.env['HOLDPOINT_TEST_POSTGRES'];
const describePostgres = server === undefined ? describe.skip : describe;

describePostgres('a Postgres store in trouble', () => {
  let made: Awaited<ReturnType<typeof makePostgres>>;
  let store: SessionStore;
  let other: Client;

  beforeEach(async () => {
    made = await makePostgres(server ?? '');
    store = await openStore(made.settings, { migrate: true });
    other = new Client({ connectionString: urlOf() });
    await other.connect();
  });

  afterEach(async () => {
    await other.end();
    await store.close();
    await made.drop();
  });

  it('waits for the one who holds the session row', async () => {
    const fence = await sessionInTurn(store);
    await other.query('begin');
    await other.query(`select * from sessions where session = '${fence.sessionId}' for update`);
    const appending = store.append(fence, { entries: [result(1, 1, 1)], at: AT });
    await blockedWriter();
    expect((await store.readEntries(fence, 0, 10)).length).toBe(3);
    await other.query('rollback');
    expect((await appending).status).toBe('written');
  });

  it('says that the store is unavailable when its connection is cut in mid-transaction, and recovers', async () => {
    const fence = await sessionInTurn(store);
    await other.query('begin');
    await other.query(`select * from sessions where session = '${fence.sessionId}' for update`);
    const appending = codeOf(store.append(fence, { entries: [result(1, 1, 1)], at: AT }));
    const pid = await blockedWriter();
    await other.query(`select pg_terminate_backend(${pid})`);
    expect(await appending).toBe('store_unavailable');
    await other.query('rollback');
    expect((await store.append(fence, { entries: [result(1, 1, 1)], at: AT })).status).toBe('written');
  });

  it('replaces idle connections that were cut', async () => {
    const fence = await sessionInTurn(store);
    await Promise.all([1, 2, 3, 4, 5].map(() => logOf(store, fence)));
    await other.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    expect((await store.append(fence, { entries: [result(1, 1, 1)], at: AT })).status).toBe('written');
    expect((await logOf(store, fence)).length).toBe(4);
  });

  it('is unavailable while nobody listens, or the database is not there', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    listener.close();
    await once(listener, 'close');
    const url = new URL(urlOf());
    url.port = String(port);
    const refused = { kind: 'postgres', connectionString: url.toString() } as const;
    expect(await codeOf(openStore(refused, { migrate: true }))).toBe('store_unavailable');
    const missing = new URL(urlOf());
    missing.pathname = '/holdpoint_nowhere';
    const settings = { kind: 'postgres', connectionString: missing.toString() } as const;
    expect(await codeOf(openStore(settings, { migrate: true }))).toBe('store_unavailable');
  });

  it('commits synchronously, whatever the database says', async () => {
    const name = new URL(urlOf()).pathname.slice(1);
    await other.query(`alter database ${name} set synchronous_commit = off`);
    const careful = await openStore(made.settings, { migrate: false });
    const fence = await sessionInTurn(careful);
    await other.query(
      `create function seen() returns trigger language plpgsql as $$ begin
         if current_setting('synchronous_commit') <> 'on' then raise exception 'not synchronous'; end if; return new;
       end $$`,
    );
    await other.query('create trigger seen before insert on entries for each row execute function seen()');
    expect((await careful.append(fence, { entries: [result(1, 1, 1)], at: AT })).status).toBe('written');
    await careful.close();
  });

  function urlOf(): string {
    if (made.settings.kind !== 'postgres') {
      throw new Error('This is Postgres.');
    }
    return made.settings.connectionString;
  }

  /** The backend that waits for a lock, once there is one. */
  async function blockedWriter(): Promise<number> {
    for (;;) {
      const { rows } = await other.query<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      if (rows[0] !== undefined) {
        return rows[0].pid;
      }
    }
  }
});
