import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePostgres, makeSqlite } from '../adapters/store/both-stores';
import { DeskProject } from '../support/dev/desk-project';
import { temporaryFolders } from '../support/dev/temporary-folders';
import { OwnTemporalServer } from '../support/own-temporal-server';
import { ServiceProcess } from '../support/service-process';
import { waitUntil } from '../support/wait-until';

const ROOT_FOLDER = join(__dirname, '..', '..');
const newFolder = temporaryFolders();
const postgresServer = process.env['HOLDPOINT_TEST_POSTGRES'];
const STARTED = /"message":"(worker|gateway) started"/;

let temporal: OwnTemporalServer;
let running: ServiceProcess[] = [];

beforeAll(async () => {
  temporal = await OwnTemporalServer.start(newFolder());
});

afterEach(async () => {
  await Promise.all(running.map((service) => service.dispose()));
  running = [];
});

afterAll(() => temporal.stop());

function start(command: string, folder: string, environment: Readonly<Record<string, string>>): ServiceProcess {
  const service = new ServiceProcess([command], folder, environment);
  running.push(service);
  return service;
}

function projectFolder(): string {
  return new DeskProject(newFolder()).folder;
}

function environmentFor(store: string, queue: string): Record<string, string> {
  return {
    HOLDPOINT_STORE: store,
    HOLDPOINT_UNSAFE_NO_AUTH: '1',
    HOLDPOINT_PORT: '0',
    HOLDPOINT_TASK_QUEUE: queue,
    TEMPORAL_ADDRESS: temporal.server.address,
  };
}

const describePostgres = postgresServer === undefined ? describe.skip : describe;

describe('worker and gateway on sqlite', () => serve('sqlite', makeSqlite));
describePostgres('worker and gateway on postgres', () => serve('postgres', () => makePostgres(postgresServer ?? '')));

function serve(kind: string, make: typeof makeSqlite): void {
  test('are processes of their own, and SIGTERM lets a write that has begun finish', async () => {
    const made = await make();
    const { settings } = made;
    const store = settings.kind === 'sqlite' ? `sqlite:${settings.path}` : settings.connectionString;
    const folder = projectFolder();
    const environment = environmentFor(store, `services-${kind}`);

    const early = start('worker', folder, environment);
    expect(await early.untilGone()).toBe(1);
    expect(early.lines.join('\n')).toContain('(schema_mismatch)');
    for (let time = 0; time < 2; time += 1) {
      const migration = start('migrate', folder, environment);
      expect(await migration.untilGone()).toBe(0);
      expect(migration.lines).toEqual([`the ${kind} store has the tables of this version`]);
    }

    const gateway = start('gateway', folder, environment);
    const worker = start('worker', folder, environment);
    await Promise.all([gateway.untilLine(STARTED), worker.untilLine(STARTED)]);
    for (const { lines } of [gateway, worker]) {
      expect(lines.filter((line) => line.includes('runs without authentication'))).toHaveLength(1);
    }
    const sessionId = await gateway.startSession('call note {"text":"paid","waits":true}');
    const [approval] = await gateway.pending(sessionId);
    await gateway.decide(approval as never, 'approve');
    await waitUntil(() => existsSync(join(folder, 'began.ts')), Boolean);

    worker.signal('SIGTERM');
    await worker.untilLine(/worker stopping/);
    expect(worker.hasEnded()).toBe(false);
    writeFileSync(join(folder, 'go'), '');
    expect(await worker.untilGone()).toBe(0);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('paid');
    // Written by the worker that is gone: no other one runs.
    const results = (await gateway.wireEntries(sessionId)).filter(({ type }) => type === 'tool.result');
    expect(results.map(({ data }) => data['status'])).toEqual(['success']);

    gateway.signal('SIGTERM');
    expect(await gateway.untilGone()).toBe(0);
    await made.drop();
  }, 180_000);
}

describe('what is refused', () => {
  test.each(['worker', 'gateway'])('a %s without authentication that nobody asked for', async (command) => {
    const folder = projectFolder();
    const { HOLDPOINT_UNSAFE_NO_AUTH: _left, ...environment } = environmentFor(`sqlite:${folder}/a.db`, 'refused');
    const service = start(command, folder, environment);
    expect(await service.untilGone()).toBe(1);
    expect(service.lines.join('\n')).toContain('HOLDPOINT_UNSAFE_NO_AUTH: there is no authentication yet');
    expect(service.lines.filter((line) => line.includes('    at '))).toEqual([]);
  });

  test('a gateway that others reach under names it was not told', async () => {
    const folder = projectFolder();
    const environment = environmentFor(`sqlite:${folder}/a.db`, 'refused');
    const service = start('gateway', folder, { ...environment, HOLDPOINT_HOST: '0.0.0.0' });
    expect(await service.untilGone()).toBe(1);
    expect(service.lines.join('\n')).toContain('HOLDPOINT_ALLOWED_HOSTS');
  });

  test('a worker in a folder without a project', async () => {
    const folder = newFolder();
    const service = start('worker', folder, environmentFor(`sqlite:${folder}/a.db`, 'refused'));
    expect(await service.untilGone()).toBe(1);
    expect(service.lines.join('\n')).toContain(`expected a holdpoint.config.ts, .js or .mjs in ${folder} or above it`);
  });
});

test("a process of one's own runs a worker as the how-to page shows it", async () => {
  const made = await makeSqlite();
  const folder = projectFolder();
  const page = readFileSync(join(ROOT_FOLDER, 'docs', 'how-to', 'run-in-production.md'), 'utf8');
  writeFileSync(join(folder, 'worker.mjs'), /^```js\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '');
  symlinkSync(ROOT_FOLDER, join(folder, 'node_modules', 'holdpoint'));
  const store = made.settings.kind === 'sqlite' ? `sqlite:${made.settings.path}` : '';
  const environment = environmentFor(store, 'own-process');
  await start('migrate', folder, environment).untilGone();
  const worker = start('worker.mjs', folder, environment);
  const gateway = start('gateway', folder, environment);
  await Promise.all([gateway.untilLine(STARTED), worker.untilLine(STARTED)]);
  const sessionId = await gateway.startSession('call greet {"name":"Ada"}');
  await gateway.untilTurnEnded(sessionId, 1);
  worker.signal('SIGTERM');
  expect(await worker.untilGone()).toBe(0);
  const results = (await gateway.wireEntries(sessionId)).filter(({ type }) => type === 'tool.result');
  expect(results.map(({ data }) => data['status'])).toEqual(['success']);
  await made.drop();
});

test('a worker that gets SIGTERM while it starts stops in order', async () => {
  const made = await makeSqlite();
  const folder = projectFolder();
  const store = made.settings.kind === 'sqlite' ? `sqlite:${made.settings.path}` : '';
  const environment = environmentFor(store, 'early-stop');
  await start('migrate', folder, environment).untilGone();
  const worker = start('worker', folder, environment);
  await worker.untilLine(/runs without authentication/);
  worker.signal('SIGTERM');
  expect(await worker.untilGone()).toBe(0);
  await made.drop();
});
