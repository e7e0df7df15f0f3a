import type { SessionId, Tenant } from '../../../src/core/ids';
import type { NewSession } from '../../../src/core/ports/gateway-store';
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

const hello = { agent: 'workspace', message: { content: 'hello' } };

async function create(body: object = hello, headers: Record<string, string> = {}): Promise<string> {
  const answer = await gateway.post('/v1/sessions', body, headers);
  expect(answer.status).toBe(201);
  return String(answer.json?.['sessionId']);
}

describe('POST /v1/sessions', () => {
  it('stores the session, starts it by reference, and shows it as running at once', async () => {
    const answer = await gateway.post('/v1/sessions', { ...hello, sessionId: 'mine' });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({ sessionId: 'mine' });
    expect(answer.headers.location).toBe('/v1/sessions/mine');
    const [signal, ...others] = gateway.sessions.signals;
    const messageId = signal?.payload['messageId'];
    expect(others).toEqual([]);
    expect(signal).toEqual({
      signal: 'message',
      target: { tenant: 'default', sessionId: 'mine', agent: 'workspace' },
      payload: { messageId, ref: messageId, mode: 'followup' },
    });
    expect((await gateway.get('/v1/sessions/mine')).json).toMatchObject({
      sessionId: 'mine',
      agent: 'workspace',
      status: 'running',
      openApprovals: [],
      lastTurn: null,
    });
  });

  it('makes an id when none is given, another one each time', async () => {
    const [first, second] = [await create(), await create()];
    expect(first).toMatch(/^s_[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
  });

  it('answers the same id, agent and message again with 200, as often as they come', async () => {
    await create({ ...hello, sessionId: 'mine' });
    for (let time = 0; time < 3; time += 1) {
      const again = await gateway.post('/v1/sessions', { ...hello, sessionId: 'mine' });
      expect(again.status).toBe(200);
      expect(again.json).toEqual({ sessionId: 'mine' });
    }
  });

  it.each([
    ['message', { agent: 'workspace', message: { content: 'other' } }],
    ['agent', { agent: 'helper', message: { content: 'hello' } }],
  ])('refuses a known id with another %s', async (_what, body) => {
    await create({ ...hello, sessionId: 'mine' });
    expectProblem(await gateway.post('/v1/sessions', { ...body, sessionId: 'mine' }), 409, 'session_exists');
  });

  it('answers the same Idempotency-Key with the same session, and another body under it with 409', async () => {
    const key = { 'idempotency-key': 'order 17 / first try!' };
    const sessionId = await create(hello, key);
    const again = await gateway.post('/v1/sessions', hello, key);
    expect(again.status).toBe(200);
    expect(again.json).toEqual({ sessionId });
    const other = { agent: 'workspace', message: { content: 'other' } };
    expectProblem(await gateway.post('/v1/sessions', other, key), 409, 'idempotency_conflict');
    expect(await create(hello, { 'idempotency-key': 'another key' })).not.toBe(sessionId);
  });

  it('makes one session of requests that come at the same time under one key', async () => {
    const key = { 'idempotency-key': 'all at once' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.post('/v1/sessions', hello, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ json }) => json?.['sessionId'])).size).toBe(1);
  });

  it('goes by what is stored for a known id, also when its agent is gone', async () => {
    const message = {
      messageId: 'm1',
      mode: 'followup',
      content: 'x',
      principal: 'local',
      provenance: 'authenticated',
    };
    await gateway.store.createSession({
      tenant: 'default' as Tenant,
      sessionId: 'mine' as SessionId,
      agent: 'gone',
      message: message as NewSession['message'],
      at: new Date().toISOString(),
    });
    const body = { agent: 'gone', message: { content: 'other' }, sessionId: 'mine' };
    expectProblem(await gateway.post('/v1/sessions', body), 409, 'session_exists');
  });

  it('says so when no worker has published an agent yet', async () => {
    const empty = await openGatewayUnderTest({ folder: newFolder(), agents: [] });
    const answer = await empty.post('/v1/sessions', hello);
    expectProblem(answer, 422, 'unknown_agent');
    expect(answer.json?.['detail']).toMatch(/no worker has published an agent yet/);
    await empty.close();
  });

  it('takes a message of exactly 1 MiB, however its JSON is escaped, and keeps every character', async () => {
    const content = `${'é'.repeat(524_282)}\u0000\n"\\\u2028x\u{1f600}`;
    expect(Buffer.byteLength(content)).toBe(1_048_576);
    const escaped = [...content].map((character) => escapeAll(character)).join('');
    const text = `{"agent":"workspace","message":{"content":"${escaped}"},"sessionId":"big"}`;
    expect((await gateway.send('POST', '/v1/sessions', { text })).status).toBe(201);
    const approval = await new StandInWorker(gateway.store, 'big').ask();
    const { json } = await gateway.get(`/v1/sessions/big/entries`);
    const entries = json?.['entries'] as { type: string; data: { content?: string } }[];
    expect(entries.find(({ type }) => type === 'user.message')?.data.content === content).toBe(true);
    expect(approval.status).toBe('pending');
  });
});

function escapeAll(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}
