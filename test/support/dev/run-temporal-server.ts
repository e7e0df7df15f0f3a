import { acquireFolderLock } from '../../../src/dev/folder-lock';
import { startTemporalServer } from '../../../src/dev/start-temporal-server';
import { temporalExecutable } from './temporal-executable';

/** Run as a process of its own: starts the server of the folder named by the first argument as holdpoint does. */
async function runTemporalServer(): Promise<void> {
  const lock = await acquireFolderLock(process.argv[2] ?? '');
  const server = await startTemporalServer({
    executable: await temporalExecutable(),
    folder: lock.folder,
    environment: process.env,
    onEvent: () => undefined,
  });
  process.stdout.write(`${JSON.stringify({ pid: server.pid(), port: server.port, reused: server.reused })}\n`);
  setInterval(() => undefined, 60_000);
}

void runTemporalServer();
