import type { SessionExplanation } from '../../../src/core/session-explanation';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { StandInWorker } from '../../support/gateway/stand-in-worker';

const newFolder = temporaryFolders();
const KEY = { tenant: 'default', sessionId: 'mine' } as never;
let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
  const body = { agent: 'workspace', sessionId: 'mine', message: { content: 'a secret' } };
  expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
  gateway.sessions.signals.length = 0;
});

afterEach(() => gateway.close());

/** Ends turn 1 and, as the workflow would, closes the session. */
async function closeInStore(): Promise<void> {
  const worker = new StandInWorker(gateway.store, 'mine');
  await worker.ask();
  await worker.endTurn('completed');
  await gateway.store.closeSession({ ...(KEY as object), runId: 'run-1' } as never, {
    reason: 'requested',
    at: new Date().toISOString(),
  });
}

const signals = () => gateway.sessions.signals.map(({ signal }) => signal);

describe('POST /v1/sessions/:id/close', () => {
  it('asks the session to close, with nothing of anybody in it, and says what it was doing', async () => {
    const answer = await gateway.post('/v1/sessions/mine/close', {});
    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({ sessionId: 'mine', status: 'running' });
    expect(gateway.sessions.signals).toEqual([
      { signal: 'close', target: { tenant: 'default', sessionId: 'mine' }, payload: {} },
    ]);
  });

  it('takes an empty body, and no text', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.send('POST', '/v1/sessions/mine/close', { headers })).status).toBe(202);
    expectProblem(await gateway.post('/v1/sessions/mine/close', { reason: 'enough' }), 400, 'invalid_request');
    expect(signals()).toEqual(['close']);
  });

  it('answers a closed session the same again, without waking it', async () => {
    await closeInStore();
    const answer = await gateway.post('/v1/sessions/mine/close', {});
    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({ sessionId: 'mine', status: 'closed' });
    expect(signals()).toEqual([]);
  });

  it('starts a run where none is, so that what is queued runs and the session closes', async () => {
    gateway.sessions.endAll();
    expect((await gateway.post('/v1/sessions/mine/close', {})).status).toBe(202);
    expect(gateway.sessions.signals).toMatchObject([{ signal: 'close', target: { agent: 'workspace' } }]);
  });

  it('starts none for a session that closed in that very moment', async () => {
    const { sessions } = gateway;
    const close = sessions.close.bind(sessions);
    sessions.close = async (target, payload) => {
      await closeInStore();
      sessions.endAll();
      return close(target, payload);
    };
    expect((await gateway.post('/v1/sessions/mine/close', {})).status).toBe(202);
    expect(signals()).toEqual([]);
  });

  it('answers 503 while Temporal is down, and 404 for an unknown session', async () => {
    gateway.sessions.isUp = false;
    expectProblem(await gateway.post('/v1/sessions/mine/close', {}), 503, 'temporal_unavailable');
    expectProblem(await gateway.post('/v1/sessions/nobody/close', {}), 404, 'unknown_session');
  });
});

describe('POST /v1/sessions/:id/repair', () => {
  const repair = (body: object = { reason: 'INC-4711' }) => gateway.post('/v1/sessions/mine/repair', body);

  it('ends the workflow of a blocked session, starts another one, and says so in the log', async () => {
    await gateway.store.setBlocked(KEY, 'log_behind');
    const answer = await repair();
    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({ sessionId: 'mine', blockedCode: 'log_behind' });
    expect(gateway.sessions.signals).toEqual([
      { signal: 'terminate', target: { tenant: 'default', sessionId: 'mine' }, payload: { reason: 'repair INC-4711' } },
      { signal: 'start', target: { tenant: 'default', sessionId: 'mine', agent: 'workspace' }, payload: {} },
    ]);
    expect(gateway.logLines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'a session was repaired',
        fields: {
          tenant: 'default',
          sessionId: 'mine',
          principal: 'local',
          reason: 'INC-4711',
          force: false,
          wasRunning: true,
          blockedCode: 'log_behind',
        },
      },
    ]);
  });

  it('refuses a session that is not blocked, unless it is forced', async () => {
    expectProblem(await repair(), 409, 'not_blocked');
    expectProblem(await repair({ reason: 'x', force: false }), 409, 'not_blocked');
    expect(signals()).toEqual([]);
    const forced = await repair({ reason: 'x', force: true });
    expect(forced.json).toEqual({ sessionId: 'mine', blockedCode: null });
    expect(signals()).toEqual(['terminate', 'start']);
  });

  it('can be repeated when it was cut short between the end of one workflow and the start of the next', async () => {
    await gateway.store.setBlocked(KEY, 'log_behind');
    const { sessions } = gateway;
    const terminate = sessions.terminate.bind(sessions);
    sessions.terminate = async (key, reason) => {
      const wasRunning = await terminate(key, reason);
      sessions.isUp = false;
      return wasRunning;
    };
    expectProblem(await repair(), 503, 'temporal_unavailable');
    sessions.terminate = terminate;
    sessions.isUp = true;
    expect((await repair()).status).toBe(202);
    expect(signals()).toEqual(['terminate', 'terminate', 'start']);
  });

  it('leaves alone the workflow of another project that has the same id', async () => {
    await gateway.store.setBlocked(KEY, 'log_behind');
    gateway.sessions.isForeign = true;
    expectProblem(await repair(), 409, 'session_exists');
    expect(signals()).toEqual([]);
  });

  it.each([
    ['no reason', {}],
    ['an empty reason', { reason: '' }],
    ['a sentence', { reason: 'restored from backup' }],
    ['a reason that is too long', { reason: 'x'.repeat(101) }],
    ['a reason that is no text', { reason: 7 }],
    ['a control character', { reason: 'x\u001b[31m' }],
    ['a force that is no boolean', { reason: 'x', force: 'true' }],
    ['something else', { reason: 'x', runId: 'r' }],
  ])('refuses %s', async (_name, body) => {
    await gateway.store.setBlocked(KEY, 'log_behind');
    expectProblem(await repair(body), 400, 'invalid_request');
    expect(signals()).toEqual([]);
  });

  it('answers 503 while Temporal is down, and 404 for an unknown session', async () => {
    await gateway.store.setBlocked(KEY, 'log_behind');
    gateway.sessions.isUp = false;
    expectProblem(await repair(), 503, 'temporal_unavailable');
    expectProblem(await gateway.post('/v1/sessions/nobody/repair', { reason: 'x' }), 404, 'unknown_session');
  });
});

describe('GET /v1/sessions/:id/explain', () => {
  const explain = async (): Promise<SessionExplanation> => {
    const answer = await gateway.get('/v1/sessions/mine/explain');
    expect(answer.status).toBe(200);
    return answer.json as unknown as SessionExplanation;
  };

  it('puts together what the store and Temporal know, without a word of what was said', async () => {
    const { approvalId, expiresAt, requestedAt } = await new StandInWorker(gateway.store, 'mine').ask();
    gateway.sessions.run = {
      status: 'RUNNING',
      runId: 'run-1',
      taskQueue: 'holdpoint',
      startedAt: requestedAt,
      historyEvents: 12,
      activities: [],
      workflowTask: null,
    };
    gateway.sessions.polling = [{ identity: 'worker-1', lastAccessAt: new Date().toISOString() }];
    const explained = await explain();
    expect(explained).toMatchObject({
      sessionId: 'mine',
      status: 'waiting_for_approval',
      waitsFor: [{ kind: 'decision', approvalId, since: requestedAt, until: expiresAt, tool: 'write_file' }],
      temporal: { status: 'RUNNING', runId: 'run-1', pollers: ['worker-1'] },
    });
    expect(explained.lastEntries.map(({ type }) => type)).toContain('approval.requested');
    expect(JSON.stringify(explained)).not.toContain('a secret');
  });

  it('answers while Temporal is down, and says so', async () => {
    await new StandInWorker(gateway.store, 'mine').ask();
    gateway.sessions.isUp = false;
    const { summary, waitsFor, temporal } = await explain();
    expect(temporal).toBeNull();
    expect(waitsFor.map(({ kind }) => kind)).toEqual(['temporal', 'decision']);
    expect(summary).toContain('Temporal does not answer this gateway.');
  });

  it('says that nobody works, and of a blocked session that it needs repair', async () => {
    gateway.sessions.polling = [{ identity: 'gone', lastAccessAt: '2026-01-01T00:00:00.000Z' }];
    const kinds = async () => (await explain()).waitsFor.map(({ kind }) => kind);
    expect(await kinds()).toEqual(['workflow', 'worker']);
    await gateway.store.setBlocked(KEY, 'log_behind');
    expect(await kinds()).toEqual(['repair', 'workflow', 'worker']);
  });
});

describe('GET /readyz', () => {
  const polledAgo = (ms: number) => {
    gateway.sessions.polling = [{ identity: 'worker-1', lastAccessAt: new Date(Date.now() - ms).toISOString() }];
  };

  it('is ready when store and Temporal answer and a worker polls', async () => {
    polledAgo(60_000);
    const answer = await gateway.get('/readyz');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'ok', store: 'ok', temporal: 'ok', worker: 'ok' });
  });

  it('is not ready without a worker, and without Temporal nobody knows of one', async () => {
    polledAgo(120_000);
    const answer = await gateway.get('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.json).toEqual({ status: 'unavailable', store: 'ok', temporal: 'ok', worker: 'unavailable' });
    polledAgo(0);
    gateway.sessions.isUp = false;
    expect((await gateway.get('/readyz')).json).toEqual({
      status: 'unavailable',
      store: 'ok',
      temporal: 'unavailable',
      worker: 'unavailable',
    });
    expect((await gateway.get('/healthz')).json).toEqual({ status: 'ok' });
  });
});
