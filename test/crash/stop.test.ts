import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DevProcess } from '../support/dev-process';
import { waitUntil } from '../support/wait-until';

let dev: DevProcess;

beforeEach(() => {
  dev = new DevProcess();
});

afterEach(async () => {
  await dev.dispose();
});

test('Ctrl-C stops everything in order, also when it arrives twice, and leaves no server behind', async () => {
  await dev.start();
  const stopped = dev.interrupt();
  dev.signal('SIGINT');
  expect(await stopped).toBe(0);
  expect(existsSync(join(dev.homeFolder, 'server.json'))).toBe(false);
  expect(existsSync(join(dev.homeFolder, 'owner.json'))).toBe(false);
});

test('the start says that the page is at its address, and names no model that there is not', async () => {
  await dev.start();
  await waitUntil(
    () => dev.lines.join('\n'),
    (text) => text.includes('Ctrl-C stops everything'),
  );
  const text = dev.lines.join('\n');
  expect(text).toContain(`open ${dev.url} in a browser`);
  expect(text).not.toContain('for a real one');
});

test('holdpoint stop stops a running one in order, also one whose terminal is gone', async () => {
  await dev.start();
  expect(await dev.runStop()).toContain('stopped');
  expect(existsSync(join(dev.homeFolder, 'server.json'))).toBe(false);
  expect(await dev.runStop()).toBe('nothing runs here');
});

test('a second project on the same server, namespace and queue is warned; after a restart a project is not warned of itself', async () => {
  await dev.start();
  const second = new DevProcess({ TEMPORAL_ADDRESS: dev.temporalAddress });
  await second.start();
  expect(second.lines.join('\n')).toContain('give each project a TEMPORAL_NAMESPACE of its own');
  await second.dispose();
  const other = new DevProcess({ TEMPORAL_ADDRESS: dev.temporalAddress, HOLDPOINT_TASK_QUEUE: 'other' });
  await other.start();
  await other.interrupt();
  await other.start();
  expect(other.lines.join('\n')).not.toContain('warning');
  await other.dispose();
});

test.each([
  ['a workspace that is not there', { HOLDPOINT_WORKSPACE: '/nowhere/at/all' }, 'HOLDPOINT_WORKSPACE'],
  ['a workspace that is the state folder', { HOLDPOINT_HOME: '.' }, 'expected a folder outside the state folder'],
  ['a model nobody can call', { HOLDPOINT_MODEL: 'nosuch:model' }, 'nosuch:model'],
  ['a port that is no number', { HOLDPOINT_PORT: 'eighty' }, 'HOLDPOINT_PORT'],
])('%s is refused in a line that names it', async (_name, environment, named) => {
  const refused = new DevProcess(environment);
  await expect(refused.start()).rejects.toThrow(named);
  expect(refused.lines.filter((line) => line.includes('    at '))).toEqual([]);
  await refused.dispose();
});

test('a session goes on after an orderly stop and a new start', async () => {
  await dev.start();
  const sessionId = await dev.startSession('write a.txt: hello');
  const [approval] = await dev.pending(sessionId);
  expect(await dev.interrupt()).toBe(0);
  await dev.start();
  expect(await dev.pending(sessionId)).toEqual([approval]);
});

test('a killed worker child is started again, and the session goes on', async () => {
  await dev.start();
  const sessionId = await dev.startSession('write a.txt: hello');
  const [approval] = await dev.pending(sessionId);
  dev.killChildren();
  await dev.decide(approval as never, 'approve');
  await dev.untilTurnEnded(sessionId, 1);
  expect(existsSync(join(dev.workspaceFolder, 'a.txt'))).toBe(true);
  expect(dev.lines.join('\n')).toContain('the worker ended by SIGKILL, starting it again');
});

test('a Temporal server that ends while everything starts is started again, and the start goes on', async () => {
  const started = dev.start();
  while (dev.temporalAddress === '') {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  dev.killTemporalServer();
  await started;
  expect(dev.lines.join('\n')).toContain('the Temporal server runs again');
});

test('a killed Temporal server is started again on the same port, and the session goes on', async () => {
  await dev.start();
  const sessionId = await dev.startSession('write a.txt: hello');
  const [approval] = await dev.pending(sessionId);
  const address = dev.temporalAddress;
  dev.killTemporalServer();
  // Accepted while the server is away; whoever is back first delivers it.
  expect([200, 202]).toContain((await dev.decide(approval as never, 'approve')).status);
  await dev.untilTurnEnded(sessionId, 1, 90_000);
  expect(existsSync(join(dev.workspaceFolder, 'a.txt'))).toBe(true);
  expect(dev.temporalAddress).toBe(address);
}, 150_000);
