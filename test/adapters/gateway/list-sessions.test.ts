import type { SessionList } from '../../../src/core/http-answers';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { StandInWorker } from '../../support/gateway/stand-in-worker';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder(), agents: ['workspace', 'helper'] });
});

afterEach(() => gateway.close());

/** @param second When it is made, within one minute. */
async function create(sessionId: string, second: number, agent = 'workspace'): Promise<void> {
  gateway.nowMs = Date.UTC(2026, 2, 1, 10, 0, second);
  const body = { agent, sessionId, message: { content: 'hello' } };
  expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
}

async function page(query: string): Promise<SessionList> {
  const answer = await gateway.get(`/v1/sessions${query}`);
  expect(answer.status).toBe(200);
  return answer.json as unknown as SessionList;
}

async function idsOf(query: string): Promise<readonly string[]> {
  return (await page(query)).sessions.map(({ sessionId }) => sessionId);
}

it('lists sessions newest first, each as it is read alone', async () => {
  await create('first', 1);
  await create('second', 2, 'helper');
  await new StandInWorker(gateway.store, 'first').ask();
  const { sessions, nextAfter } = await page('');
  expect(nextAfter).toBeNull();
  expect(sessions.map(({ sessionId, status }) => [sessionId, status])).toEqual([
    ['second', 'running'],
    ['first', 'waiting_for_approval'],
  ]);
  for (const session of sessions) {
    expect((await gateway.get(`/v1/sessions/${session.sessionId}`)).json).toEqual(session);
  }
});

it('lists those of one status, of one agent, and of both', async () => {
  await create('running', 1);
  await create('asking', 2);
  await create('other', 3, 'helper');
  await new StandInWorker(gateway.store, 'asking').ask();
  expect(await idsOf('?status=waiting_for_approval')).toEqual(['asking']);
  expect(await idsOf('?status=running')).toEqual(['other', 'running']);
  expect(await idsOf('?agent=helper')).toEqual(['other']);
  expect(await idsOf('?agent=helper&status=blocked')).toEqual([]);
});

it('shows each session once in a chain of pages, though sessions come and go on meanwhile', async () => {
  for (let index = 0; index < 9; index += 1) {
    await create(`s${index}`, index % 3);
  }
  const expected = await idsOf('');
  const seen: string[] = [];
  for (let after = ''; ; ) {
    const { sessions, nextAfter } = await page(`?limit=2${after}`);
    seen.push(...sessions.map(({ sessionId }) => sessionId));
    if (nextAfter === null) {
      break;
    }
    expect(nextAfter).toMatch(/^[\w-]+$/);
    after = `&after=${nextAfter}`;
    await create(`new${seen.length}`, 30);
    await new StandInWorker(gateway.store, seen.at(-1) ?? '').ask();
  }
  expect(seen).toEqual(expected);
});

describe('a cursor nobody was given', () => {
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const AT = '2026-03-01T10:00:00.000Z';

  it.each([
    ['empty', ''],
    ['no base64url', '***'],
    ['no list', cursor({ createdAt: AT })],
    ['one of questions', cursor([AT, 's_1', 4])],
    ['too few parts', cursor([AT])],
    ['NUL in the time', cursor(['2026\u0000', 's_1'])],
    ['no session id', cursor([AT, '../s'])],
  ])('is refused: %s', async (_name, text) => {
    expectProblem(await gateway.get(`/v1/sessions?after=${encodeURIComponent(text)}`), 400, 'invalid_request');
  });

  it('is taken when it only names a place where nothing is', async () => {
    expect(await page(`?after=${cursor([AT, 's_1'])}`)).toEqual({ sessions: [], nextAfter: null });
  });
});
