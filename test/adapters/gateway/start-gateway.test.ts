import { Agent, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { openStore } from '../../../src/adapters/store/open-store';
import type { Tenant } from '../../../src/core/ids';
import type { SessionStore } from '../../../src/core/ports/session-store';
import { type Gateway, type GatewayOptions, startGateway } from '../../../src/gateway/main';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { sendRequest } from '../../support/gateway/gateway-under-test';
import { StandInWorker } from '../../support/gateway/stand-in-worker';

/** What a gateway gives to requests under way when it closes. */
const GRACE_MS = 5_000;

const newFolder = temporaryFolders();
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
/** Nothing listens on port 1. */
const NO_SERVER = { address: '127.0.0.1:1', namespace: 'default', taskQueue: 'holdpoint', callTimeoutMs: 300 };
const hello = { agent: 'workspace', message: { content: 'hello' } };

let store: SessionStore;
let gateways: Gateway[] = [];

beforeEach(async () => {
  store = await openStore({ kind: 'sqlite', path: join(newFolder(), 'holdpoint.db') }, { migrate: true });
  await store.publishAgents([{ name: 'workspace', digest: 'd1', definition: {} }], 'default' as Tenant);
});

afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  gateways = [];
  await store.close();
});

async function start(options: Partial<GatewayOptions> = {}): Promise<{ gateway: Gateway; port: number }> {
  const gateway = await startGateway({ store, temporal: NO_SERVER, port: 0, logger: silent, ...options });
  gateways.push(gateway);
  return { gateway, port: Number(new URL(gateway.url).port) };
}

/** A server that takes connections and never says a word. */
async function startSilentServer(): Promise<{ server: Server; port: number; end: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = async () => {
    for (const socket of sockets) {
      socket.destroy();
    }
    await new Promise((resolve) => server.close(resolve));
  };
  return { server, port: (server.address() as AddressInfo).port, end };
}

it('starts while Temporal is down and listens on 127.0.0.1 only', async () => {
  const { gateway, port } = await start();
  expect(gateway.url).toBe(`http://127.0.0.1:${port}`);
  expect((await sendRequest(port, 'GET', '/v1/approvals')).status).toBe(200);
  // Nobody holds the port on the other addresses of this machine.
  const elsewhere = createServer();
  await new Promise<void>((resolve, reject) => {
    elsewhere.on('error', reject);
    elsewhere.listen(port, '127.0.0.2', resolve);
  });
  await new Promise((resolve) => elsewhere.close(resolve));
});

it('accepts sessions, messages and decisions while Temporal is down, and says so in its readiness, not in its health', async () => {
  const { port } = await start();
  const created = await sendRequest(port, 'POST', '/v1/sessions', { body: { ...hello, sessionId: 's1' } });
  expect(created.status).toBe(201);
  const sent = await sendRequest(port, 'POST', '/v1/sessions/s1/messages', { body: { content: 'more' } });
  expect(sent.status).toBe(202);
  const approval = await new StandInWorker(store, 's1').ask();
  const decided = await sendRequest(port, 'POST', `/v1/approvals/${approval.approvalId}/decisions`, {
    body: { decision: 'reject' },
  });
  expect(decided.status).toBe(202);
  expect((await sendRequest(port, 'GET', '/v1/sessions/s1')).json).toMatchObject({ status: 'waiting_for_approval' });
  const cancelled = await sendRequest(port, 'POST', '/v1/sessions/s1/cancel', { body: {} });
  expect([cancelled.status, cancelled.json?.['code']]).toEqual([503, 'temporal_unavailable']);
  expect((await sendRequest(port, 'GET', '/v1/sessions/s1/explain')).json).toMatchObject({
    waitsFor: [{ kind: 'temporal' }, { kind: 'delivery' }, { kind: 'answer' }],
    temporal: null,
  });
  expect(cancelled.text).not.toMatch(/127\.0\.0\.1:1|ECONNREFUSED/);
  expect((await sendRequest(port, 'GET', '/healthz')).status).toBe(200);
  const readiness = await sendRequest(port, 'GET', '/readyz');
  expect(readiness.status).toBe(503);
  expect(readiness.json).toEqual({
    status: 'unavailable',
    store: 'ok',
    temporal: 'unavailable',
    worker: 'unavailable',
  });
  // The first message was taken; the other one and the decision wait for the sweep of a worker.
  expect((await store.listUndelivered(0, 10)).map(({ kind }) => kind)).toEqual(['message', 'decision']);
}, 20_000);

it('does not hang with a Temporal server that takes connections and never answers', async () => {
  const hanging = await startSilentServer();
  const temporal = { ...NO_SERVER, address: `127.0.0.1:${hanging.port}`, callTimeoutMs: 500 };
  const { port } = await start({ temporal });
  const created = await sendRequest(port, 'POST', '/v1/sessions', { body: hello });
  expect(created.status).toBe(201);
  await hanging.end();
});

it('names the port in one line when it is taken', async () => {
  const { port } = await start();
  const second = startGateway({ store, temporal: NO_SERVER, port, logger: silent });
  await expect(second).rejects.toMatchObject({
    code: 'port_in_use',
    message: `port ${port} on 127.0.0.1 is in use; stop what listens there, or set HOLDPOINT_PORT to another port`,
  });
});

it('answers 503 when the store can not be asked, without saying why', async () => {
  const { port } = await start();
  await store.close();
  for (const [method, path, body] of [
    ['GET', '/v1/approvals', undefined],
    ['GET', '/v1/sessions/s1', undefined],
    ['GET', '/v1/sessions', undefined],
    ['GET', '/v1/sessions/s1/explain', undefined],
    ['GET', '/v1/agents', undefined],
    ['GET', '/v1/tools', undefined],
    ['POST', '/v1/sessions/s1/close', {}],
    ['POST', '/v1/sessions/s1/repair', { reason: 'x' }],
    ['POST', '/v1/sessions', hello],
  ] as const) {
    const answer = await sendRequest(port, method, path, body === undefined ? {} : { body });
    expect([answer.status, answer.json?.['code']]).toEqual([503, 'store_unavailable']);
    expect(answer.text).not.toMatch(/closed|SQLITE|\/tmp/);
  }
  expect((await sendRequest(port, 'GET', '/readyz')).json).toMatchObject({ store: 'unavailable' });
  // An orchestrator that restarts what is not alive would only make an outage worse.
  expect((await sendRequest(port, 'GET', '/healthz')).status).toBe(200);
});

describe('close', () => {
  it('finishes a request under way, then ends its connection at once though it was to be kept', async () => {
    const hanging = await startSilentServer();
    const temporal = { ...NO_SERVER, address: `127.0.0.1:${hanging.port}`, callTimeoutMs: 1_000 };
    const { gateway, port } = await start({ temporal });
    const agent = new Agent({ keepAlive: true });
    const idle = await keepAliveRequest(agent, port, 'GET', '/v1/approvals');
    expect(idle).toBe(200);
    const arrived = new Promise<void>((resolve) => hanging.server.once('connection', () => resolve()));
    const underWay = keepAliveRequest(agent, port, 'POST', '/v1/sessions', hello);
    await arrived;
    const closing = gateway.close();
    expect(await underWay).toBe(201);
    await closing;
    await expect(sendRequest(port, 'GET', '/v1/approvals')).rejects.toThrow();
    agent.destroy();
    await hanging.end();
  });

  it('ends connections nobody uses at once, and a second close waits for the first', async () => {
    const { gateway, port } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 5 });
    await Promise.all(Array.from({ length: 5 }, () => keepAliveRequest(agent, port, 'GET', '/v1/approvals')));
    const startedMs = performance.now();
    await Promise.all([gateway.close(), gateway.close()]);
    // A connection that is waited for would take all of the grace.
    expect(performance.now() - startedMs).toBeLessThan(GRACE_MS);
    agent.destroy();
  });

  it('leaves the store open', async () => {
    const { gateway } = await start();
    await gateway.close();
    await expect(store.ping()).resolves.toBeUndefined();
  });
});

function keepAliveRequest(agent: Agent, port: number, method: string, path: string, body?: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
