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

  it('answers a known session again after its agent is gone', async () => {
    const folder = newFolder();
    const before = await openGatewayUnderTest({ folder, agents: ['old'] });
    const body = { agent: 'old', message: { content: 'hello' }, sessionId: 'mine' };
    expect((await before.post('/v1/sessions', body)).status).toBe(201);
    expect((await before.post('/v1/sessions', body)).status).toBe(200);
    await before.close();
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

describe('POST /v1/sessions/:id/messages', () => {
  it('stores the message and signals it by reference, in the mode it was sent in', async () => {
    await create({ ...hello, sessionId: 'mine' });
    for (const mode of [undefined, 'followup', 'steer', 'inject']) {
      const body = { content: `in mode ${mode}`, ...(mode === undefined ? {} : { mode }) };
      const answer = await gateway.post('/v1/sessions/mine/messages', body);
      expect(answer.status).toBe(202);
      const messageId = answer.json?.['messageId'];
      expect(answer.json).toEqual({ messageId: expect.stringMatching(/^m_[0-9a-f]{32}$/) });
      expect(gateway.sessions.signals.at(-1)).toEqual({
        signal: 'message',
        target: { tenant: 'default', sessionId: 'mine', agent: 'workspace' },
        payload: { messageId, ref: messageId, mode: mode ?? 'followup' },
      });
      const stored = await gateway.store.readInboxMessage(
        { tenant: 'default', sessionId: 'mine' } as never,
        String(messageId),
      );
      expect(stored).toMatchObject({ content: body.content, principal: 'local', provenance: 'authenticated' });
    }
  });

  it('takes the same text twice as two messages, and the same Idempotency-Key as one', async () => {
    await create({ ...hello, sessionId: 'mine' });
    const path = '/v1/sessions/mine/messages';
    const plain = [await gateway.post(path, { content: 'x' }), await gateway.post(path, { content: 'x' })];
    expect(new Set(plain.map(({ json }) => json?.['messageId'])).size).toBe(2);
    const key = { 'idempotency-key': 'k1' };
    const keyed = [await gateway.post(path, { content: 'x' }, key), await gateway.post(path, { content: 'x' }, key)];
    expect(keyed.map(({ status }) => status)).toEqual([202, 202]);
    expect(new Set(keyed.map(({ json }) => json?.['messageId'])).size).toBe(1);
    expectProblem(await gateway.post(path, { content: 'y' }, key), 409, 'idempotency_conflict');
    expectProblem(await gateway.post(path, { content: 'x', mode: 'steer' }, key), 409, 'idempotency_conflict');
  });

  it('answers an unknown session with 404', async () => {
    expectProblem(await gateway.post('/v1/sessions/nobody/messages', { content: 'x' }), 404, 'unknown_session');
    expect(gateway.sessions.signals).toEqual([]);
  });
});

describe('POST /v1/sessions/:id/cancel', () => {
  it('hands the request to the session and names the open turn', async () => {
    await create({ ...hello, sessionId: 'mine' });
    await new StandInWorker(gateway.store, 'mine').ask();
    const answer = await gateway.post('/v1/sessions/mine/cancel', { turn: 1, reason: 'enough', keepQueue: true });
    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({ sessionId: 'mine', turn: 1 });
    expect(gateway.sessions.signals.at(-1)).toEqual({
      signal: 'cancelTurn',
      target: { tenant: 'default', sessionId: 'mine' },
      payload: { turn: 1, reason: 'enough', keepQueue: true, principal: 'local' },
    });
  });

  it('takes an empty body', async () => {
    await create({ ...hello, sessionId: 'mine' });
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.send('POST', '/v1/sessions/mine/cancel', { headers })).status).toBe(202);
  });

  it('starts a run for a session whose message waits for one, so that the cancel comes first', async () => {
    await create({ ...hello, sessionId: 'mine' });
    gateway.sessions.endAll();
    expect((await gateway.post('/v1/sessions/mine/cancel', {})).status).toBe(202);
    expect(gateway.sessions.signals.at(-1)).toMatchObject({
      signal: 'cancelTurn',
      target: { sessionId: 'mine', agent: 'workspace' },
    });
  });

  it('answers 503 while Temporal is down, and 404 for an unknown session', async () => {
    await create({ ...hello, sessionId: 'mine' });
    gateway.sessions.isUp = false;
    const answer = await gateway.post('/v1/sessions/mine/cancel', {});
    expectProblem(answer, 503, 'temporal_unavailable');
    expectProblem(await gateway.post('/v1/sessions/nobody/cancel', {}), 404, 'unknown_session');
  });
});

describe('GET /v1/sessions/:id/entries', () => {
  it('pages through the log in order, with null where there is no turn', async () => {
    await create({ ...hello, sessionId: 'mine' });
    await new StandInWorker(gateway.store, 'mine').ask();
    const all = (await gateway.get('/v1/sessions/mine/entries')).json;
    const entries = all?.['entries'] as Record<string, unknown>[];
    expect(entries.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'session.started'],
      [2, 'user.message'],
      [3, 'turn.started'],
      [4, 'model.reply'],
      [5, 'approval.requested'],
    ]);
    expect(all?.['nextAfter']).toBe(5);
    expect(entries[0]).toEqual({
      seq: 1,
      key: expect.any(String),
      type: 'session.started',
      turn: null,
      round: null,
      data: expect.objectContaining({ agent: 'workspace', origin: 'gateway' }),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      digest: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(entries[4]).toMatchObject({ turn: 1, round: 1, callId: 't1-r1-c1' });
    const page = (await gateway.get('/v1/sessions/mine/entries?after=1&limit=2')).json;
    expect(page).toEqual({ entries: entries.slice(1, 3), nextAfter: 3 });
    expect((await gateway.get('/v1/sessions/mine/entries?after=5')).json).toEqual({ entries: [], nextAfter: null });
  });

  it('shows an empty log for a session nobody has opened yet', async () => {
    await create({ ...hello, sessionId: 'mine' });
    expect((await gateway.get('/v1/sessions/mine/entries')).json).toEqual({ entries: [], nextAfter: null });
  });
});

it('answers a session of another tenant exactly like one that does not exist', async () => {
  const folder = newFolder();
  const other = await openGatewayUnderTest({ folder, tenant: 'other' });
  const ours = await openGatewayUnderTest({ folder });
  expect((await other.post('/v1/sessions', { ...hello, sessionId: 'theirs' })).status).toBe(201);
  const { approvalId } = await new StandInWorker(other.store, 'theirs', 'other').ask();
  for (const path of ['', '/entries']) {
    const theirs = await ours.get(`/v1/sessions/theirs${path}`);
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe((await ours.get(`/v1/sessions/nobody${path}`)).text);
  }
  for (const [path, body] of [
    ['messages', { content: 'x' }],
    ['cancel', {}],
  ] as const) {
    const theirs = await ours.post(`/v1/sessions/theirs/${path}`, body);
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe((await ours.post(`/v1/sessions/nobody/${path}`, body)).text);
  }
  const approval = await ours.get(`/v1/approvals/${approvalId}`);
  expect(approval.text).toBe((await ours.get('/v1/approvals/nobody')).text);
  const decided = await ours.post(`/v1/approvals/${approvalId}/decisions`, { decision: 'reject' });
  expectProblem(decided, 404, 'unknown_approval');
  expect((await ours.get('/v1/approvals')).json).toEqual({ approvals: [] });
  expect((await ours.post('/v1/sessions', { ...hello, sessionId: 'theirs' })).status).toBe(201);
  await other.close();
  await ours.close();
});

it('says in the log, and not to the client, when a message could not be delivered', async () => {
  gateway.sessions.isUp = false;
  const sessionId = await create();
  expect((await gateway.get(`/v1/sessions/${sessionId}`)).json).toMatchObject({ status: 'running' });
  expect((await gateway.post(`/v1/sessions/${sessionId}/messages`, { content: 'x' })).status).toBe(202);
  const undelivered = await gateway.store.listUndelivered(0, 10);
  expect(undelivered.map(({ kind }) => kind)).toEqual(['message', 'message']);
  expect(gateway.logLines.filter(({ level }) => level === 'warn')).toHaveLength(2);
});

it('notes what was delivered, so that no sweep sends it again', async () => {
  const sessionId = await create();
  await gateway.post(`/v1/sessions/${sessionId}/messages`, { content: 'x' });
  expect(await gateway.store.listUndelivered(0, 10)).toEqual([]);
});
