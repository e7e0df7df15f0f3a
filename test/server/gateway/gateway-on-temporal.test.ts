import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { openStore } from '../../../src/adapters/store/open-store';
import { createHoldpointClient } from '../../../src/client/holdpoint-client';
import type { SessionStore } from '../../../src/core/ports/session-store';
import { acquireFolderLock, type FolderLock } from '../../../src/dev/folder-lock';
import { startTemporalServer, type TemporalServer } from '../../../src/dev/start-temporal-server';
import { type Gateway, startGateway } from '../../../src/gateway/main';
import { temporalExecutable } from '../../support/dev/temporal-executable';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { type Answer, sendRequest } from '../../support/gateway/gateway-under-test';
import { StandInWorker } from '../../support/gateway/stand-in-worker';

const newFolder = temporaryFolders();
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let lock: FolderLock;
let server: TemporalServer;
let connection: Connection;
let store: SessionStore;
let gateway: Gateway;

beforeAll(async () => {
  lock = await acquireFolderLock(newFolder());
  server = await startTemporalServer({
    executable: await temporalExecutable(),
    folder: lock.folder,
    environment: process.env,
    onEvent: () => undefined,
  });
  connection = await Connection.connect({ address: server.address });
  store = await openStore({ kind: 'sqlite', path: join(newFolder(), 'holdpoint.db') }, { migrate: true });
  await store.publishAgents([{ name: 'workspace', digest: 'd1', definition: {} }], 'default');
  gateway = await startGateway({
    store,
    temporal: { address: server.address, namespace: 'default', taskQueue: 'nobody-works-here' },
    port: 0,
    logger: silent,
    outcomeTimeoutMs: 200,
  });
});

afterAll(async () => {
  await gateway.close();
  await store.close();
  await connection.close();
  await server.stop();
  lock.release();
});

function send(method: string, path: string, body?: unknown): Promise<Answer> {
  return sendRequest(Number(new URL(gateway.url).port), method, path, body === undefined ? {} : { body });
}

/** Names of the signals in the history of a session's newest run. */
async function signalsOf(sessionId: string): Promise<string[]> {
  const { events } = await new Client({ connection }).workflow.getHandle(`default/${sessionId}`).fetchHistory();
  return (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
}

it('lives, and is not ready while no worker polls its task queue', async () => {
  expect((await send('GET', '/healthz')).json).toEqual({ status: 'ok' });
  const readiness = await send('GET', '/readyz');
  expect(readiness.status).toBe(503);
  expect(readiness.json).toEqual({ status: 'unavailable', store: 'ok', temporal: 'ok', worker: 'unavailable' });
  // What is missing is an answer for a client, not a failure.
  expect(await createHoldpointClient({ baseUrl: gateway.url }).readReadiness()).toEqual(readiness.json);
});

it('delivers messages, cancels and decisions to the session, and leaves nothing for the sweep', async () => {
  const body = { agent: 'workspace', message: { content: 'hello' }, sessionId: 's1' };
  expect((await send('POST', '/v1/sessions', body)).status).toBe(201);
  expect((await send('POST', '/v1/sessions/s1/messages', { content: 'more', mode: 'steer' })).status).toBe(202);
  const approval = await new StandInWorker(store, 's1').ask();
  const decided = await send('POST', `/v1/approvals/${approval.approvalId}/decisions`, { decision: 'reject' });
  // No worker is there to settle it.
  expect(decided.status).toBe(202);
  expect((await send('POST', '/v1/sessions/s1/cancel', {})).status).toBe(202);
  expect(await signalsOf('s1')).toEqual(['message', 'message', 'decide', 'cancelTurn']);
  expect(await store.listUndelivered(0, 10)).toEqual([]);
});

it('gives a session whose run is gone a new one for a cancel, where a message still waits', async () => {
  const body = { agent: 'workspace', message: { content: 'hello' }, sessionId: 's2' };
  expect((await send('POST', '/v1/sessions', body)).status).toBe(201);
  const handle = new Client({ connection }).workflow.getHandle('default/s2');
  await handle.terminate();
  expect((await send('POST', '/v1/sessions/s2/cancel', {})).status).toBe(202);
  expect(await signalsOf('s2')).toEqual(['cancelTurn']);
});

it('says of a session that no worker is there, though Temporal runs its workflow', async () => {
  const body = { agent: 'workspace', message: { content: 'hello' }, sessionId: 's3' };
  expect((await send('POST', '/v1/sessions', body)).status).toBe(201);
  expect((await send('GET', '/v1/sessions/s3/explain')).json).toMatchObject({
    waitsFor: [{ kind: 'worker', since: null }],
    temporal: { status: 'RUNNING', pollers: [] },
  });
});
