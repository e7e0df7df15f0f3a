/** The worker process of `holdpoint dev`: started with an IPC channel, and over when the channel is. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMockModel } from '../adapters/models/mock/mock-model';
import { openStore } from '../adapters/store/open-store';
import { parseConfig } from '../config';
import { SECOND_MS } from '../core/durations';
import { errorCodeOf } from '../core/errors';
import { buildCatalog } from '../definitions/build-catalog';
import { createLogger } from '../telemetry/create-logger';
import { type RunningWorker, startWorker, type WorkerSettings } from '../worker';
import { createParentFeed } from './parent-feed';
import { storeSettingsOf } from './store-settings';
import { workerIdentity } from './worker-identity';
import type { WorkerChildMessage, WorkerStopMessage } from './worker-messages';
import { workspaceAgent } from './workspace-agent';

/** The bundle that the build wrote next to the compiled sources. */
const BUNDLE_PATH = join(__dirname, '..', '..', 'workflow-bundle.js');
/** A child without its parent is one more zombie; it gets this long to finish writes that have begun. */
const ORPHAN_GRACE_MS = 10 * SECOND_MS;
const DEV_TENANT = 'default';
/** The watcher starts a server that ended again; that takes a second or two. */
const SERVER_PATIENCE_MS = 30 * SECOND_MS;
const SERVER_RETRY_MS = 250;

async function main(): Promise<void> {
  const config = parseConfig(process.env);
  const logger = createLogger({ level: config.logLevel, destination: 1 });
  const store = await openStore(storeSettingsOf({ path: config.homeFolder }), { migrate: false });
  const adapters = [createMockModel()];
  const worker = await startPatiently({
    temporal: {
      address: config.temporalAddress ?? '127.0.0.1:7233',
      namespace: config.temporalNamespace,
      taskQueue: config.taskQueue,
    },
    identity: workerIdentity(realpathSync(config.homeFolder)),
    tenant: DEV_TENANT,
    store,
    catalog: buildCatalog({
      agents: [
        workspaceAgent({
          root: config.workspaceFolder,
          protectedFolders: [config.homeFolder],
          approvalExpiryMs: config.approvalExpiryMs,
        }),
      ],
      defaultModel: config.model,
      modelApis: adapters.map(({ api }) => api),
    }),
    adapters,
    logger,
    feed: createParentFeed(process),
    bundlePath: BUNDLE_PATH,
    isDevelopment: true,
  });
  process.on('message', (message: WorkerStopMessage) => {
    if (message.type === 'stop') {
      worker.shutdown();
    }
  });
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
    worker.shutdown();
  });
  await tellParent({ type: 'ready' });
  await worker.finished;
  await store.close();
}

/** A Temporal server that is just being started again is no reason to give up. */
async function startPatiently(settings: WorkerSettings): Promise<RunningWorker> {
  const giveUpAt = performance.now() + SERVER_PATIENCE_MS;
  for (;;) {
    try {
      return await startWorker(settings);
    } catch (error) {
      if (errorCodeOf(error) !== 'temporal_unavailable' || performance.now() > giveUpAt) {
        throw error;
      }
      await sleep(SERVER_RETRY_MS);
    }
  }
}

/** Resolves when the message has left this process, which may then end. */
function tellParent(message: WorkerChildMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) {
      resolve();
    } else {
      process.send(message, () => resolve());
    }
  });
}

// The terminal sends Ctrl-C to the whole group; only the parent decides when this process stops.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => undefined);
}

main().then(
  () => process.exit(0),
  async (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${error instanceof Error ? error.stack : message}\n`);
    await tellParent({ type: 'failed', code: errorCodeOf(error), message });
    process.exit(1);
  },
);
