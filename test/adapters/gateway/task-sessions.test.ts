import { DEFAULT_LIMITS } from '../../../src/core/limits';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { StandInWorker } from '../../support/gateway/stand-in-worker';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
});

afterEach(() => gateway.close());

const hello = { agent: 'workspace', message: { content: 'hello' }, sessionId: 'mine' };
const options = { mode: 'task', limits: { roundsPerTurn: 2 }, metadata: { ticket: '7' } };
const create = (more: object = {}) => gateway.post('/v1/sessions', { ...hello, ...more });
const send = (content: string) => gateway.post('/v1/sessions/mine/messages', { content });

describe('POST /v1/sessions with options', () => {
  it('keeps mode, limits and metadata, and shows them', async () => {
    expect((await create(options)).status).toBe(201);
    expect((await gateway.get('/v1/sessions/mine')).json).toMatchObject({ ...options, status: 'running' });
  });

  it('shows a plain one as a conversation', async () => {
    await create();
    const { json } = await gateway.get('/v1/sessions/mine');
    expect(json).toMatchObject({ mode: 'conversation' });
    expect(Object.keys(json ?? {})).not.toEqual(expect.arrayContaining(['limits']));
  });

  it.each([
    ['an unknown mode', { mode: 'dance' }],
    ['an unknown limit', { limits: { rounds: 1 } }],
    ['a limit of 0', { limits: { roundsPerTurn: 0 } }],
    ['a limit that is a text', { limits: { roundsPerTurn: '2' } }],
    ['limits that are a list', { limits: [] }],
    ['metadata that are no texts', { metadata: { a: 1 } }],
    ['metadata over 2 KiB', { metadata: { a: 'x'.repeat(2_048) } }],
    ['metadata of null', { metadata: null }],
    ['a start that is no boolean', { start: 'no' }],
  ])('refuses %s', async (_what, more) => {
    expectProblem(await create(more), 400, 'invalid_request');
    expectProblem(await gateway.get('/v1/sessions/mine'), 404, 'unknown_session');
  });

  it('refuses limits that are wider than those the agent was published with, by name', async () => {
    const definition = { limits: { ...DEFAULT_LIMITS, roundsPerTurn: 3 } };
    await gateway.store.publishAgents([{ name: 'workspace', digest: 'newer', definition }], 'default');
    const answer = await create({ limits: { roundsPerTurn: 4, callsPerTurn: 15 } });
    expectProblem(answer, 422, 'invalid_start');
    expect(answer.json?.['detail']).toContain('limits roundsPerTurn.');
    expect((await create({ limits: { roundsPerTurn: 3 } })).status).toBe(201);
  });

  it('is the same request only with the same options', async () => {
    await create(options);
    expect((await create(options)).status).toBe(200);
    expectProblem(await create({ ...options, limits: {} }), 409, 'session_exists');
  });
});

describe('start: false', () => {
  it('stores the session and signals nobody, as often as it comes', async () => {
    expect((await create({ ...options, start: false })).status).toBe(201);
    expect((await create({ ...options, start: false })).status).toBe(200);
    expect(gateway.sessions.signals).toEqual([]);
    expect((await gateway.get('/v1/sessions/mine')).json).toMatchObject({ status: 'idle' });
  });

  it('keeps a message that comes before the session is started, and signals nobody', async () => {
    await create({ start: false });
    expect((await send('more')).status).toBe(202);
    expect(gateway.sessions.signals).toEqual([]);
  });

  it('is over when the same request comes without it', async () => {
    await create({ start: false });
    expect((await create()).status).toBe(200);
    expect(gateway.sessions.signals).toHaveLength(1);
    await send('more');
    expect(gateway.sessions.signals).toHaveLength(2);
  });
});

it('a task whose turn has ended answers messages with session_closed', async () => {
  await create({ mode: 'task' });
  const worker = new StandInWorker(gateway.store, 'mine');
  await worker.ask();
  expect((await send('during the turn')).status).toBe(202);
  await worker.endTurn('completed');
  expectProblem(await send('too late'), 409, 'session_closed');
});
