import {
  createPostgresFeedPublisher,
  type PostgresFeedPublisher,
} from '../../../src/adapters/feed/postgres/postgres-feed-publisher';
import {
  createPostgresFeedSource,
  type PostgresFeedSource,
} from '../../../src/adapters/feed/postgres/postgres-feed-source';
import { openStore } from '../../../src/adapters/store/open-store';
import type { SessionStore } from '../../../src/core/ports/session-store';
import { type Gateway, startGateway } from '../../../src/gateway/main';
import { StreamReader } from '../../support/gateway/stream-reader';
import { silentLogger } from '../../support/silent-logger';
import { makePostgres } from '../store/both-stores';
import { AT, question, reply, requested, sessionInTurn } from '../store/session-under-test';

const server = process.env['HOLDPOINT_TEST_POSTGRES'];
const describePostgres = server === undefined ? describe.skip : describe;

describePostgres('streams of a gateway whose worker is another process', () => {
  let made: Awaited<ReturnType<typeof makePostgres>>;
  let store: SessionStore;
  let feed: PostgresFeedSource;
  let publisher: PostgresFeedPublisher;
  let gateway: Gateway;

  beforeAll(async () => {
    made = await makePostgres(server ?? '');
    const connectionString = made.settings.kind === 'postgres' ? made.settings.connectionString : '';
    store = await openStore(made.settings, { migrate: true });
    feed = createPostgresFeedSource({ connectionString, logger: silentLogger });
    publisher = createPostgresFeedPublisher({ connectionString, logger: silentLogger });
    gateway = await startGateway({
      store,
      temporal: { address: '127.0.0.1:1', namespace: 'default', taskQueue: 'holdpoint' },
      port: 0,
      logger: silentLogger,
      feed,
      // By itself no stream looks at the store again in this test.
      streams: { lookEveryMs: 600_000 },
    });
  });

  afterAll(async () => {
    await gateway.close();
    await Promise.all([feed.close(), publisher.close()]);
    await store.close();
    await made.drop();
  });

  it('say new entries and new questions soon after they were committed', async () => {
    const fence = await sessionInTurn(store);
    const port = Number(new URL(gateway.url).port);
    const session = await StreamReader.open(port, `/v1/sessions/${fence.sessionId}/stream`);
    const approvals = await StreamReader.open(port, '/v1/approvals/stream');
    await session.until((reader) => reader.seqs().length === 3);
    await approvals.until((reader) => reader.all('hello').length === 1);
    const approval = { ...question(fence), summary: 'Write a.txt', preview: '+ text', arguments: {} };
    await store.append(fence, { entries: [reply(1, 1), requested(approval)], approvals: [approval], at: AT });
    publisher.publish({ ...fence, type: 'committed' });
    await session.until((reader) => reader.seqs().length === 5);
    await approvals.until((reader) => reader.all('approval').length === 1);
    expect(session.seqs()).toEqual([1, 2, 3, 4, 5]);
    expect(approvals.all('approval')).toMatchObject([{ approvalId: approval.approvalId, status: 'pending' }]);
    await session.leave();
    await approvals.leave();
  });
});
