import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireFolderLock } from '../../src/dev/folder-lock';
import { startTemporalServer, type TemporalServer } from '../../src/dev/start-temporal-server';
import { temporalExecutable } from './dev/temporal-executable';

/**
 * A development server in a folder of its own with settings that holdpoint never makes, so that a test reaches in seconds
 * what takes days or gigabytes otherwise. Keys and values are Temporal's dynamic configuration.
 */
export async function startLimitedTemporalServer(
  folder: string,
  limits: Readonly<Record<string, number>>,
): Promise<TemporalServer> {
  const settings = Object.entries(limits).map(([key, value]) => `--dynamic-config-value ${key}=${value}`);
  const executable = join(folder, 'temporal');
  writeFileSync(executable, `#!/bin/sh\nexec '${await temporalExecutable()}' "$@" ${settings.join(' ')}\n`);
  chmodSync(executable, 0o755);
  const lock = await acquireFolderLock(folder);
  const server = await startTemporalServer({
    executable,
    folder: lock.folder,
    environment: process.env,
    onEvent: () => undefined,
  });
  return {
    ...server,
    stop: async () => {
      await server.stop();
      lock.release();
    },
  };
}
