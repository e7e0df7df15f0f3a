import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryFeed } from '../../../src/adapters/feed/memory/memory-feed';
import { processIsRunning } from '../../../src/dev/process-is-running';
import { superviseWorker, type WorkerSupervision } from '../../../src/dev/supervise-worker';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { waitUntil } from '../../support/wait-until';

const PROGRAM = join(__dirname, '..', '..', 'support', 'dev', 'scripted-worker.cjs');

const newFolder = temporaryFolders();
let folder: string;
let outputFd: number;
let reported: string[];
let supervised: WorkerSupervision;

interface Script {
  readonly load: 'ok' | 'fault' | 'block' | 'exit';
  readonly name: string;
  readonly isSlow?: boolean;
}

beforeEach(() => {
  folder = newFolder();
  outputFd = openSync(join(folder, 'output'), 'a');
  reported = [];
});

afterEach(async () => {
  writeFileSync(join(folder, 'script.json.go'), '');
  await supervised.stop();
  closeSync(outputFd);
});

function script(given: Script): void {
  writeFileSync(join(folder, 'script.json'), JSON.stringify(given));
}

function supervise(first: Script, loadTimeoutMs = 30_000): WorkerSupervision {
  script(first);
  supervised = superviseWorker({
    environment: process.env,
    configPath: join(folder, 'script.json'),
    workingFolder: folder,
    outputFd,
    feed: createMemoryFeed(),
    report: (line) => reported.push(line),
    loadTimeoutMs,
    program: PROGRAM,
  });
  return supervised;
}

function printed(): readonly string[] {
  return readFileSync(join(folder, 'output'), 'utf8').split('\n').filter(Boolean);
}

test('a reload lets the new worker take over, and the former one finishes beside it', async () => {
  const worker = supervise({ load: 'ok', name: 'first', isSlow: true });
  expect((await worker.first).project.agents).toEqual(['first']);
  const former = worker.pid() ?? 0;
  script({ load: 'ok', name: 'second' });
  expect(await worker.reload()).toMatchObject({ ok: true, project: { agents: ['second'] } });
  expect(worker.pid()).not.toBe(former);
  expect(processIsRunning(former)).toBe(true);
  writeFileSync(join(folder, 'script.json.go'), '');
  await waitUntil(
    () => processIsRunning(former),
    (isRunning) => !isRunning,
  );
  await waitUntil(printed, (lines) => lines.includes('first ends'));
  expect([...printed()].sort()).toEqual(['first ends', 'first start', 'first stop', 'second start']);
  expect(reported).toEqual([]);
});

test.each([
  ['has a fault', 'fault', 'broken is broken'],
  ['ends its process', 'exit', 'the worker ended with code 3 before it was loaded'],
  ['blocks its process', 'block', 'not loaded within 1 s'],
] as const)('a project that %s leaves the worker as it is', async (_what, load, message) => {
  const worker = supervise({ load: 'ok', name: 'first' }, 1_000);
  await worker.first;
  const pid = worker.pid();
  script({ load, name: 'broken' });
  expect(await worker.reload()).toMatchObject({ ok: false, error: { message: expect.stringContaining(message) } });
  expect(worker.pid()).toBe(pid);
  const blocked = /^broken blocks (\d+)$/.exec(printed().at(-1) ?? '')?.[1];
  expect(printed().filter((line) => !line.startsWith('broken'))).toEqual(['first start']);
  await waitUntil(
    () => blocked !== undefined && processIsRunning(Number(blocked)),
    (isRunning) => !isRunning,
  );
  expect(reported).toEqual([]);
});

test('a worker that ends is started again; a project broken by then is said once, and a reload brings it back', async () => {
  const worker = supervise({ load: 'ok', name: 'first' });
  await worker.first;
  script({ load: 'fault', name: 'broken' });
  process.kill(worker.pid() ?? 0, 'SIGKILL');
  await waitUntil(
    () => reported.filter((line) => line.includes('starting it again')).length,
    (count) => count >= 3,
  );
  expect(reported[0]).toBe('the worker ended by SIGKILL, starting it again');
  expect(reported.filter((line) => line === 'the worker does not start: broken is broken')).toHaveLength(1);
  script({ load: 'ok', name: 'mended' });
  expect(await worker.reload()).toMatchObject({ ok: true, project: { agents: ['mended'] } });
  await worker.stop();
  expect(printed().at(-1)).toBe('mended ends');
}, 30_000);

test('a reload in the pause before a restart takes its place', async () => {
  const worker = supervise({ load: 'ok', name: 'first' });
  await worker.first;
  process.kill(worker.pid() ?? 0, 'SIGKILL');
  await waitUntil(() => reported.length, Boolean);
  await worker.reload();
  // Longer than the pause: nothing happens that could be awaited.
  await sleep(1_000);
  const count = (what: string) => printed().filter((line) => line === `first ${what}`).length;
  expect(count('start') - count('ends')).toBe(2);
});

test('a first load that fails is told and not tried again', async () => {
  const worker = supervise({ load: 'fault', name: 'broken' });
  await expect(worker.first).rejects.toMatchObject({ code: 'invalid_config', message: 'broken is broken' });
  await waitUntil(
    () => worker.pid() !== undefined && processIsRunning(worker.pid() ?? 0),
    (isRunning) => !isRunning,
  );
  expect(reported).toEqual([]);
});

test('a stop ends a worker that works in order, and one that is only being loaded at once', async () => {
  const worker = supervise({ load: 'ok', name: 'first' });
  await worker.first;
  script({ load: 'block', name: 'second' });
  const reloaded = worker.reload();
  await worker.stop();
  expect((await reloaded).ok).toBe(false);
  expect(printed()).toEqual(['first start', 'first stop', 'first ends']);
  expect(reported).toEqual([]);
});
