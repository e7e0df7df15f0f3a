import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { acquireFolderLock, type FolderLock } from '../../../src/dev/folder-lock';
import { processIsRunning } from '../../../src/dev/process-is-running';
import { findFolderServers } from '../../../src/dev/server-record';
import { startTemporalServer, type TemporalServer } from '../../../src/dev/start-temporal-server';
import type { TemporalServerEvent } from '../../../src/dev/supervise-server';
import { tryPort } from '../../../src/dev/try-port';
import { waitForTemporal } from '../../../src/dev/wait-for-temporal';
import { type ScriptProcess, startScript } from '../../support/dev/script-process';
import { temporalExecutable } from '../../support/dev/temporal-executable';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();
let executable: string;
let servers: TemporalServer[] = [];
let locks: FolderLock[] = [];
let scripts: ScriptProcess[] = [];

beforeAll(async () => {
  executable = await temporalExecutable();
});

afterEach(async () => {
  await Promise.all(scripts.map((script) => script.kill()));
  // A server that was killed stops at once; one that is asked to end takes a second.
  for (const pid of locks.flatMap((lock) => findFolderServers(lock.folder)).map((server) => server.pid)) {
    process.kill(-pid, 'SIGKILL');
  }
  await Promise.all(servers.map((server) => server.stop()));
  for (const lock of locks) {
    lock.release();
  }
  servers = [];
  locks = [];
  scripts = [];
});

interface Setup {
  readonly folder?: string;
  readonly port?: number;
  readonly executable?: string;
  readonly namespace?: string;
  readonly onEvent?: (event: TemporalServerEvent) => void;
  readonly signal?: AbortSignal;
}

async function start(setup: Setup = {}): Promise<TemporalServer & { readonly folder: string }> {
  const folder = setup.folder ?? newFolder();
  const lock = await acquireFolderLock(folder);
  locks.push(lock);
  const options = { executable, environment: process.env, onEvent: () => undefined, ...setup, folder: lock.folder };
  const server = await startTemporalServer(options);
  servers.push(server);
  return { ...server, folder };
}

/** Starts a server from another process and kills that process group, as `kill -9` of a running holdpoint does. */
async function leaveServerBehind(folder: string): Promise<{ pid: number; port: number }> {
  const script = startScript('run-temporal-server', [folder]);
  scripts.push(script);
  const server = JSON.parse(await script.firstLine) as { pid: number; port: number };
  await script.kill();
  expect(processIsRunning(server.pid)).toBe(true);
  return server;
}

function record(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as Record<string, unknown>;
}

function processGroup(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }));
}

describe('the Temporal development server', () => {
  it('answers for its namespace, in its own process group, on record, until it is stopped', async () => {
    const server = await start({ namespace: 'orders' });
    expect(server.reused).toBe(false);
    expect(server.address).toBe(`127.0.0.1:${server.port}`);
    for (const namespace of ['orders', 'default']) {
      await waitForTemporal({ address: server.address, namespace, timeoutMs: 5_000 });
    }
    expect(processGroup(server.pid())).toBe(server.pid());
    expect(existsSync(join(server.folder, 'temporal.log'))).toBe(true);
    expect(record(server.folder)).toMatchObject({ pid: server.pid(), port: server.port, namespace: 'orders' });

    await Promise.all([server.stop(), server.stop()]);
    expect(processIsRunning(server.pid())).toBe(false);
    expect(existsSync(join(server.folder, 'server.json'))).toBe(false);
    expect(await tryPort(server.port)).toBe(server.port);
  });

  it('comes back on its port when it dies, and says so', async () => {
    const lines: string[] = [];
    let restarted: () => void = () => undefined;
    const isBack = new Promise<void>((resolve) => {
      restarted = resolve;
    });
    const server = await start({
      onEvent: ({ type, line }) => {
        lines.push(line);
        if (type === 'restarted') {
          restarted();
        }
      },
    });
    const firstPid = server.pid();
    process.kill(firstPid, 'SIGKILL');
    await isBack;
    expect(server.pid()).not.toBe(firstPid);
    await waitForTemporal({ address: server.address, namespace: 'default', timeoutMs: 5_000 });
    await server.stop();
    expect(processIsRunning(server.pid())).toBe(false);
    expect(lines).toEqual([
      'the Temporal server ended (SIGKILL), starting it again',
      `the Temporal server runs again at 127.0.0.1:${server.port}`,
    ]);
  });

  it('refuses a port that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({
      code: 'temporal_port_in_use',
      message: `port ${port} for the Temporal server is in use`,
      details: { port },
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it('tries again when a port that the server takes for itself was taken meanwhile', async () => {
    const unlucky = join(newFolder(), 'temporal');
    const line = `Error: failed: ${'could not build arguments: '.repeat(40)} listen tcp 127.0.0.1:45678: bind: address already in use`;
    writeFileSync(
      unlucky,
      `#!/bin/sh\nif [ ! -e "$0.once" ]; then touch "$0.once"; echo "${line}" >&2; exit 1; fi\nexec "${executable}" "$@"\n`,
      { mode: 0o755 },
    );
    const server = await start({ executable: unlucky });
    expect(existsSync(`${unlucky}.once`)).toBe(true);
    expect(server.reused).toBe(false);
  });

  it('quotes the last log line of a server that ends while it starts', async () => {
    const broken = join(newFolder(), 'temporal');
    writeFileSync(broken, '#!/bin/sh\necho first\necho "Error: the database is malformed" >&2\nexit 3\n', {
      mode: 0o755,
    });
    await expect(start({ executable: broken })).rejects.toMatchObject({
      code: 'temporal_start_failed',
      message: expect.stringMatching(
        /\(exit code 3\); its last log line: Error: the database is malformed \(.*\.log\)$/,
      ),
    });
  });

  it('says so when the binary cannot be run', async () => {
    const text = join(newFolder(), 'temporal');
    writeFileSync(text, 'not executable');
    const error = await start({ executable: text }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'temporal_start_failed' });
    expect(String(error)).toContain(`${text} cannot be run: spawn ${text} EACCES`);
  });

  it('ends what it started when the start is given up', async () => {
    const giveUp = new AbortController();
    const silent = join(newFolder(), 'temporal');
    writeFileSync(silent, '#!/bin/sh\nsleep 60\n', { mode: 0o755 });
    const folder = newFolder();
    const starting = start({ folder, executable: silent, signal: giveUp.signal });
    while (!existsSync(join(folder, 'server.json'))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const pid = Number(record(folder)['pid']);
    giveUp.abort(new Error('Ctrl-C'));
    await expect(starting).rejects.toThrow('Ctrl-C');
    expect(processIsRunning(pid)).toBe(false);
    expect(existsSync(join(folder, 'server.json'))).toBe(false);
  });

  it('serves two folders side by side', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.port).not.toBe(two.port);
    process.kill(one.pid(), 'SIGKILL');
    await waitForTemporal({ address: two.address, namespace: 'default', timeoutMs: 5_000 });
  });
});

describe('a server that a killed holdpoint left behind', () => {
  it('is taken over with its port, and started again when it dies', async () => {
    const folder = newFolder();
    const left = await leaveServerBehind(folder);
    let restarted: () => void = () => undefined;
    const isBack = new Promise<void>((resolve) => {
      restarted = resolve;
    });
    const server = await start({ folder, onEvent: ({ type }) => (type === 'restarted' ? restarted() : undefined) });
    expect(server).toMatchObject({ reused: true, port: left.port });
    expect(server.pid()).toBe(left.pid);
    process.kill(left.pid, 'SIGKILL');
    await isBack;
    expect(server.pid()).not.toBe(left.pid);
    expect(record(folder)).toMatchObject({ pid: server.pid(), port: left.port });
  });

  it('is taken over when its folder was moved', async () => {
    const folder = newFolder();
    const left = await leaveServerBehind(folder);
    const moved = join(newFolder(), 'moved');
    renameSync(folder, moved);
    const server = await start({ folder: moved });
    expect(server).toMatchObject({ reused: true, port: left.port });
    await server.stop();
    expect(processIsRunning(left.pid)).toBe(false);
  });

  it('is ended and replaced when its database was deleted', async () => {
    const folder = newFolder();
    const left = await leaveServerBehind(folder);
    rmSync(join(folder, 'temporal.db'));
    const server = await start({ folder });
    expect(server.reused).toBe(false);
    expect(processIsRunning(left.pid)).toBe(false);
  });
});
