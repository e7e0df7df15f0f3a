import { sql } from 'kysely';
import { openMemoryStore } from '../../../src/adapters/store/open-store';
import { memoryDialect } from '../../../src/adapters/store/sqlite-dialect';
import { StoreDatabase } from '../../../src/adapters/store/store-database';
import type { SessionId, Tenant } from '../../../src/core/ids';
import type { SessionStore } from '../../../src/core/ports/session-store';

const KEY = { tenant: 'default' as Tenant, sessionId: 's1' as SessionId };
const AT = '2026-01-01T00:00:00.000Z';

let nowMs = 5_000;
let store: SessionStore;

beforeEach(async () => {
  store = await openMemoryStore(() => nowMs);
});

afterEach(() => store.close());

function create(content = 'hello') {
  const message = {
    messageId: 'm1',
    mode: 'followup',
    content,
    principal: 'local',
    provenance: 'authenticated',
  } as const;
  return store.createSession({ ...KEY, agent: 'tester', message, at: AT });
}

test('a store in memory keeps its data until it is closed, and shares it with no other', async () => {
  await create();
  const other = await openMemoryStore(() => nowMs);
  expect(await store.readSession(KEY)).toMatchObject({ agent: 'tester' });
  expect(await other.readSession(KEY)).toBeUndefined();
  await other.close();
  expect(await store.readSession(KEY)).toMatchObject({ agent: 'tester' });
});

test('its clock is the one it was given', async () => {
  expect(await store.clockMs()).toBe(5_000);
  nowMs = Date.parse(AT);
  expect(await store.clockMs()).toBe(Date.parse(AT));
  expect(await store.takeLease('sweep', 'one', 1_000)).toBe(true);
  expect(await store.takeLease('sweep', 'two', 1_000)).toBe(false);
  nowMs += 1_001;
  expect(await store.takeLease('sweep', 'two', 1_000)).toBe(true);
});

test('a query that fails costs none of its data', async () => {
  const database = new StoreDatabase(memoryDialect(() => nowMs));
  const query = (text: string) => database.write(({ tx }) => sql.raw(text).execute(tx));
  await query('create table kept (value integer)');
  await query('insert into kept values (7)');
  await expect(query('select * from nowhere')).rejects.toThrow('nowhere');
  expect((await query('select value from kept')).rows).toMatchObject([{ value: 7 }]);
  await database.close();
});
