import { Client, Connection } from '@temporalio/client';
import { createTemporalSessionClient, type TemporalSessionClient } from '../../../src/client/temporal-session-client';
import type { SessionTarget } from '../../../src/client/temporal-session-run';
import type { SessionId, Tenant } from '../../../src/core/ids';
import { acquireFolderLock, type FolderLock } from '../../../src/dev/folder-lock';
import { startTemporalServer, type TemporalServer } from '../../../src/dev/start-temporal-server';
import { temporalExecutable } from '../../support/dev/temporal-executable';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const TASK_QUEUE = 'sessions-under-test';
const newFolder = temporaryFolders();

let lock: FolderLock;
let server: TemporalServer;
let connection: Connection;
let sessions: TemporalSessionClient;
let sessionCount = 0;

function startServer(port = 0): Promise<TemporalServer> {
  return temporalExecutable().then((executable) =>
    startTemporalServer({ executable, folder: lock.folder, environment: process.env, port, onEvent: () => undefined }),
  );
}

beforeAll(async () => {
  lock = await acquireFolderLock(newFolder());
  server = await startServer();
  connection = await Connection.connect({ address: server.address });
  sessions = createTemporalSessionClient({ address: server.address, namespace: 'default', taskQueue: TASK_QUEUE });
});

afterAll(async () => {
  await sessions.disconnect();
  await connection.close();
  await server.stop();
  lock.release();
});

function newSession(): SessionTarget {
  sessionCount += 1;
  return { tenant: 'default' as Tenant, sessionId: `s${sessionCount}` as SessionId, agent: 'workspace' };
}

/** Start and signals of a session's newest run, as a program in any language would read them from history. */
async function historyOf({ tenant, sessionId }: SessionTarget): Promise<object[]> {
  const handle = new Client({ connection }).workflow.getHandle(`${tenant}/${sessionId}`);
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event): object[] => {
    const started = event.workflowExecutionStartedEventAttributes;
    const signaled = event.workflowExecutionSignaledEventAttributes;
    const input = (started ?? signaled)?.input?.payloads ?? [];
    const payloads = input.map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()));
    if (started) {
      return [{ started: started.workflowType?.name, taskQueue: started.taskQueue?.name, payloads }];
    }
    return signaled ? [{ signal: signaled.signalName, payloads }] : [];
  });
}

function started({ tenant, sessionId, agent }: SessionTarget) {
  const input = { v: 1, tenant, sessionId, agent };
  return { started: 'agentSession', taskQueue: TASK_QUEUE, payloads: [input] };
}

async function terminate({ tenant, sessionId }: SessionTarget): Promise<void> {
  await new Client({ connection }).workflow.getHandle(`${tenant}/${sessionId}`).terminate();
}

it('answers a ping when the server knows the namespace', async () => {
  await expect(sessions.ping()).resolves.toBeUndefined();
});

it('starts a session with its first message and signals the same run afterwards', async () => {
  const session = newSession();
  await sessions.message(session, { messageId: 'm1', ref: 'm1', mode: 'followup' });
  await sessions.message(session, { messageId: 'm2', ref: 'm2', mode: 'steer' });
  await sessions.decide(session, { approvalId: 'ap_1', decisionId: 'd_1', decision: 'approve', ref: 'd_1' });
  await sessions.cancelTurn(session, { turn: 1, keepQueue: true });
  await sessions.close(session, { reason: 'done' });
  expect(await historyOf(session)).toEqual([
    started(session),
    { signal: 'message', payloads: [{ messageId: 'm1', ref: 'm1', mode: 'followup' }] },
    { signal: 'message', payloads: [{ messageId: 'm2', ref: 'm2', mode: 'steer' }] },
    {
      signal: 'decide',
      payloads: [{ approvalId: 'ap_1', decisionId: 'd_1', decision: 'approve', ref: 'd_1' }],
    },
    { signal: 'cancelTurn', payloads: [{ turn: 1, keepQueue: true }] },
    { signal: 'close', payloads: [{ reason: 'done' }] },
  ]);
});

it('gives a session whose workflow has ended a new run for a message, a decision and a cancel', async () => {
  for (const send of [
    (session: SessionTarget) => sessions.message(session, { messageId: 'm1', ref: 'm1' }),
    (session: SessionTarget) => sessions.decide(session, { approvalId: 'ap_1', decision: 'reject' }),
    (session: SessionTarget) => sessions.cancelTurn(session, {}),
  ]) {
    const session = newSession();
    await sessions.message(session, { messageId: 'm0', ref: 'm0' });
    await terminate(session);
    await send(session);
    expect(await historyOf(session)).toEqual([
      started(session),
      expect.objectContaining({ signal: expect.anything() }),
    ]);
  }
});

it('throws unknown_session when no workflow runs and none may be started', async () => {
  const { agent: _agent, ...key } = newSession();
  const unknown = expect.objectContaining({ code: 'unknown_session' });
  await expect(sessions.decide(key, { approvalId: 'ap_1', decision: 'reject' })).rejects.toEqual(unknown);
  await expect(sessions.cancelTurn(key, {})).rejects.toEqual(unknown);
  await expect(sessions.close(key, {})).rejects.toEqual(unknown);
});

it('tells a session of another project on the same namespace from its own, and from none', async () => {
  const other = createTemporalSessionClient({ address: server.address, namespace: 'default', taskQueue: 'other' });
  const session = newSession();
  await expect(other.requireOwn(session)).resolves.toBeUndefined();
  await sessions.message(session, { messageId: 'm1', ref: 'm1' });
  await expect(sessions.requireOwn(session)).resolves.toBeUndefined();
  await expect(other.requireOwn(session)).rejects.toMatchObject({ code: 'session_exists' });
  await terminate(session);
  await expect(other.requireOwn(session)).resolves.toBeUndefined();
  await other.disconnect();
});

it('throws temporal_unavailable for a namespace the server does not have', async () => {
  const lost = createTemporalSessionClient({ address: server.address, namespace: 'nowhere', taskQueue: TASK_QUEUE });
  const { agent: _agent, ...key } = newSession();
  const unavailable = expect.objectContaining({
    code: 'temporal_unavailable',
    message: expect.stringContaining('nowhere'),
  });
  await expect(lost.ping()).rejects.toEqual(unavailable);
  await expect(lost.decide(key, { approvalId: 'ap_1', decision: 'reject' })).rejects.toEqual(unavailable);
  await expect(lost.message(newSession(), { messageId: 'm1', ref: 'm1' })).rejects.toEqual(unavailable);
  await lost.disconnect();
});

it('refuses a text no session would take, before it is sent', async () => {
  const session = newSession();
  const content = 'é'.repeat(8_193);
  await expect(sessions.message(session, { messageId: 'm1', content })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  await sessions.message(session, { messageId: 'm1', content: content.slice(1) });
  expect(await historyOf(session)).toHaveLength(2);
});

it('works again at once when the server is back after an outage', async () => {
  const { port } = server;
  await server.stop();
  await expect(sessions.ping()).rejects.toMatchObject({ code: 'temporal_unavailable' });
  server = await startServer(port);
  const session = newSession();
  await sessions.message(session, { messageId: 'm1', ref: 'm1' });
  expect(await historyOf(session)).toHaveLength(2);
});
