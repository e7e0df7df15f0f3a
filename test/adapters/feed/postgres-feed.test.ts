import { Client } from 'pg';
import {
  createPostgresFeedPublisher,
  type PostgresFeedPublisher,
} from '../../../src/adapters/feed/postgres/postgres-feed-publisher';
import {
  createPostgresFeedSource,
  type PostgresFeedSource,
} from '../../../src/adapters/feed/postgres/postgres-feed-source';
import type { SessionId, SessionKey, Tenant } from '../../../src/core/ids';
import type { FeedEvent, FeedScope } from '../../../src/core/ports/feed';
import { committed, FEED_KEY, modelBegins, textChunk } from '../../support/feed/feed-events';
import { OwnPostgres } from '../../support/own-postgres';
import { silentLogger } from '../../support/silent-logger';
import { waitUntil } from '../../support/wait-until';
import { makePostgres } from '../store/both-stores';

const server = process.env['HOLDPOINT_TEST_POSTGRES'];
const describePostgres = server === undefined ? describe.skip : describe;

let undo: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const step of undo.reverse()) {
    await step();
  }
  undo = [];
});

/** A source that is connected: the look that comes with its connection is over. */
async function newSource(connectionString: string): Promise<PostgresFeedSource> {
  const source = createPostgresFeedSource({ connectionString, logger: silentLogger });
  undo.push(() => source.close());
  let looks = 0;
  const stop = source.subscribe(FEED_KEY, () => {
    looks += 1;
  });
  await waitUntil(() => looks, Boolean);
  stop();
  return source;
}

function newPublisher(connectionString: string): PostgresFeedPublisher {
  const publisher = createPostgresFeedPublisher({ connectionString, logger: silentLogger });
  undo.push(() => publisher.close());
  return publisher;
}

/** What is heard from now on. */
function listen(source: PostgresFeedSource, scope: FeedScope = FEED_KEY): FeedEvent[] {
  const heard: FeedEvent[] = [];
  source.subscribe(scope, (event) => heard.push(event));
  return heard;
}

function sessionOf(tenant: string, sessionId: string): SessionKey {
  return { tenant: tenant as Tenant, sessionId: sessionId as SessionId };
}

const untilHeard = (heard: readonly FeedEvent[], count: number) =>
  waitUntil(
    () => heard.length,
    (length) => length >= count,
  );

describePostgres('hints of commits over Postgres', () => {
  let connectionString: string;

  beforeEach(async () => {
    const made = await makePostgres(server ?? '');
    undo.push(made.drop);
    connectionString = made.settings.kind === 'postgres' ? made.settings.connectionString : '';
  });

  it('reach those who listen to the session or its tenant, in every gateway, and nobody else', async () => {
    const [first, second] = [await newSource(connectionString), await newSource(connectionString)];
    const concerned = [listen(first), listen(second), listen(first, { tenant: 'acme' })];
    const strangers = [listen(first, sessionOf('acme', 's2')), listen(second, { tenant: 'acme2' })];
    newPublisher(connectionString).publish(committed());
    await Promise.all(concerned.map((heard) => untilHeard(heard, 1)));
    expect(concerned).toEqual([[committed()], [committed()], [committed()]]);
    expect(strangers).toEqual([[], []]);
  });

  it('are all that travels: fragments and steps do not', async () => {
    const heard = listen(await newSource(connectionString));
    const publisher = newPublisher(connectionString);
    for (const event of [modelBegins(), textChunk(0, 'secret'), committed()]) {
      publisher.publish(event);
    }
    await untilHeard(heard, 1);
    expect(heard).toEqual([committed()]);
  });

  it('are gathered: a thousand commits of 300 sessions are few notifications, and no session is left out', async () => {
    const heard = listen(await newSource(connectionString), { tenant: 'acme' });
    const other = await connected();
    let notifications = 0;
    other.on('notification', () => {
      notifications += 1;
    });
    await other.query('listen holdpoint_committed');
    const publisher = newPublisher(connectionString);
    const names = Array.from({ length: 1_000 }, (_, index) => `s${index % 300}`.padEnd(90, 'x'));
    for (const name of names) {
      publisher.publish(committed(sessionOf('acme', name)));
    }
    await waitUntil(
      () => new Set(heard.map(({ sessionId }) => sessionId)).size,
      (sessions) => sessions === 300,
    );
    await other.query('select 1');
    expect(notifications).toBeLessThanOrEqual(6);
  });

  it('gather for a moment also when they come one by one', async () => {
    const other = await connected();
    let notifications = 0;
    other.on('notification', () => {
      notifications += 1;
    });
    await other.query('listen holdpoint_committed');
    const publisher = newPublisher(connectionString);
    const startMs = performance.now();
    for (let index = 0; index < 200; index += 1) {
      publisher.publish(committed(sessionOf('acme', `s${index}`)));
      await other.query('select 1');
    }
    await publisher.close();
    // The first at once, then one for each 20 ms, and the last by the close.
    expect(notifications).toBeLessThanOrEqual((performance.now() - startMs) / 20 + 2);
  });

  it('become one that names all sessions when very many wait', async () => {
    const heard = listen(await newSource(connectionString), sessionOf('acme', 'waiting'));
    const publisher = newPublisher(connectionString);
    publisher.publish(committed(sessionOf('acme', 'waiting')));
    for (let index = 0; index < 25_000; index += 1) {
      publisher.publish(committed(sessionOf('acme', `s${index}`)));
    }
    await untilHeard(heard, 1);
    expect(heard[0]).toEqual(committed(sessionOf('acme', 'waiting')));
  });

  it('are said when the publisher closes, and not later', async () => {
    const heard = listen(await newSource(connectionString));
    const publisher = newPublisher(connectionString);
    publisher.publish(committed());
    await publisher.close();
    publisher.publish(committed(sessionOf('acme', 's2')));
    await untilHeard(heard, 1);
    expect(heard).toEqual([committed()]);
  });

  it('are heard again after the connections of both sides were cut, and what was missed is looked for', async () => {
    const heard = listen(await newSource(connectionString));
    const publisher = newPublisher(connectionString);
    publisher.publish(committed());
    await untilHeard(heard, 1);
    heard.length = 0;
    await cutAll();
    // The look that comes with the new connection.
    await untilHeard(heard, 1);
    publisher.publish(committed());
    await untilHeard(heard, 2);
    expect(heard).toEqual([committed(), committed()]);
  });

  it('leave no connection behind', async () => {
    const source = await newSource(connectionString);
    const publisher = newPublisher(connectionString);
    const heard = listen(source);
    publisher.publish(committed());
    await untilHeard(heard, 1);
    await Promise.all([source.close(), publisher.close()]);
    const other = await connected();
    await waitUntil(
      async () => (await other.query(OTHERS)).rowCount,
      (count) => count === 0,
    );
  });

  const OTHERS =
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";

  async function cutAll(): Promise<void> {
    const other = await connected();
    await other.query(`select pg_terminate_backend(pid) from (${OTHERS}) as others`);
  }

  async function connected(): Promise<Client> {
    const client = new Client({ connectionString });
    await client.connect();
    undo.push(() => client.end());
    return client;
  }
});

describePostgres('a Postgres server that restarts', () => {
  it('keeps nobody from hearing what is committed then, nor what was committed meanwhile', async () => {
    const postgres = await OwnPostgres.create();
    undo.push(() => postgres.dispose());
    const connecting = newSource(postgres.connectionString);
    const publisher = newPublisher(postgres.connectionString);
    await postgres.start();
    const source = await connecting;
    const heard = listen(source);
    const others = listen(source, { tenant: 'acme' });
    await postgres.stop();
    heard.length = 0;
    others.length = 0;
    publisher.publish(committed());
    await postgres.start();
    const look = { tenant: 'acme', sessionId: '', type: 'committed' };
    await waitUntil(
      () => others,
      (events) => events.some((event) => event.sessionId === ''),
    );
    expect(others).toContainEqual(look);
    // By the look or by the hint that could not be said before, whichever came first.
    expect(heard[0]).toEqual(committed());
    publisher.publish(committed(sessionOf('acme', 's2')));
    await waitUntil(() => others.some(({ sessionId }) => sessionId === 's2'), Boolean);
  }, 60_000);
});
