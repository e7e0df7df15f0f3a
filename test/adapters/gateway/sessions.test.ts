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

  it('signals a repeated message again while its session may wait for it, and not once it is at rest', async () => {
    await create({ ...hello, sessionId: 'mine' });
    await gateway.post('/v1/sessions', { ...hello, sessionId: 'mine' });
    expect(gateway.sessions.signals).toHaveLength(2);
    const worker = new StandInWorker(gateway.store, 'mine');
    await worker.ask();
    await worker.endTurn('completed');
    await gateway.post('/v1/sessions', { ...hello, sessionId: 'mine' });
    expect(gateway.sessions.signals).toHaveLength(2);
  });

  it('leaves an idle session idle when the message wakes nothing, and still signals it until it is taken', async () => {
    await create({ ...hello, sessionId: 'mine' });
    const worker = new StandInWorker(gateway.store, 'mine');
    await worker.ask();
    await worker.endTurn('completed');
    const send = (mode: string) =>
      gateway.post('/v1/sessions/mine/messages', { content: 'x', mode }, { 'idempotency-key': mode });
    const status = async () => (await gateway.get('/v1/sessions/mine')).json?.['status'];
    await send('inject');
    expect(await status()).toBe('idle');
    await send('inject');
    expect(gateway.sessions.signals.map(({ payload }) => payload['mode'])).toEqual(['followup', 'inject', 'inject']);
    await send('steer');
    expect(await status()).toBe('running');
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
    const answer = await gateway.post('/v1/sessions/mine/cancel', { turn: 1, keepQueue: true });
    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({ sessionId: 'mine', turn: 1 });
    expect(gateway.sessions.signals.at(-1)).toEqual({
      signal: 'cancelTurn',
      target: { tenant: 'default', sessionId: 'mine' },
      payload: { turn: 1, keepQueue: true, principal: 'local' },
    });
  });

  it('takes no text, which would go into the history of the session', async () => {
    await create({ ...hello, sessionId: 'mine' });
    await new StandInWorker(gateway.store, 'mine').ask();
    const answer = await gateway.post('/v1/sessions/mine/cancel', { turn: 1, reason: 'enough' });
    expectProblem(answer, 400, 'invalid_request');
    expect(gateway.sessions.signals.map(({ signal }) => signal)).not.toContain('cancelTurn');
  });

  it('names the open turn itself when the request does not, since a reset delivers signals again', async () => {
    await create({ ...hello, sessionId: 'mine' });
    await new StandInWorker(gateway.store, 'mine').ask();
    await gateway.post('/v1/sessions/mine/cancel', {});
    expect(gateway.sessions.signals.at(-1)?.payload).toEqual({ turn: 1, principal: 'local' });
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

  it('does nothing about a session at rest that has no run', async () => {
    await create({ ...hello, sessionId: 'mine' });
    const worker = new StandInWorker(gateway.store, 'mine');
    await worker.ask();
    await worker.endTurn('completed');
    gateway.sessions.endAll();
    const answer = await gateway.post('/v1/sessions/mine/cancel', {});
    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({ sessionId: 'mine', turn: null });
    expect(gateway.sessions.signals.map(({ signal }) => signal)).toEqual(['message']);
    expect((await gateway.get('/v1/sessions/mine')).json).toMatchObject({
      status: 'idle',
      lastTurn: { turn: 1, outcome: 'completed' },
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
  for (const path of ['', '/entries', '/explain']) {
    const theirs = await ours.get(`/v1/sessions/theirs${path}`);
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe((await ours.get(`/v1/sessions/nobody${path}`)).text);
  }
  for (const [path, body] of [
    ['messages', { content: 'x' }],
    ['cancel', {}],
    ['close', {}],
    ['repair', { reason: 'x', force: true }],
  ] as const) {
    const theirs = await ours.post(`/v1/sessions/theirs/${path}`, body);
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe((await ours.post(`/v1/sessions/nobody/${path}`, body)).text);
  }
  const approval = await ours.get(`/v1/approvals/${approvalId}`);
  expect(approval.text).toBe((await ours.get('/v1/approvals/nobody')).text);
  const decided = await ours.post(`/v1/approvals/${approvalId}/decisions`, { decision: 'reject' });
  expectProblem(decided, 404, 'unknown_approval');
  expect((await ours.get('/v1/approvals')).json).toEqual({ approvals: [], nextAfter: null });
  expect((await ours.get('/v1/sessions')).json).toEqual({ sessions: [], nextAfter: null });
  expect(ours.sessions.signals).toEqual([]);
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
