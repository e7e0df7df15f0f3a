/**
 * The worker process of `holdpoint dev`: started with an IPC channel, and over when the channel is. It is the only process
 * that runs the project's code. It loads that code, says what it found, and waits until it is told to start.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../adapters/store/open-store';
import { parseConfig } from '../config';
import { SECOND_MS } from '../core/durations';
import { errorCodeOf } from '../core/errors';
import type { Catalog } from '../definitions/catalog';
import { createLogger } from '../telemetry/create-logger';
import { loadProject } from '../worker/load-project';
import { type RunningWorker, startWorker, type WorkerSettings } from '../worker/start-worker';
import { createParentFeed } from './parent-feed';
import { storeSettingsOf } from './store-settings';
import { trackLoadedFiles } from './track-loaded-files';
import { workerIdentity } from './worker-identity';
import type { LoadedProject, WorkerChildMessage, WorkerOrder } from './worker-messages';

/** The bundle that the build wrote next to the compiled sources. */
const BUNDLE_PATH = join(__dirname, '..', '..', 'workflow-bundle.js');
/** A child without its parent is one more zombie; it gets this long to finish writes that have begun. */
const ORPHAN_GRACE_MS = 10 * SECOND_MS;
const DEV_TENANT = 'default';
/** The watcher starts a server that ended again; that takes a second or two. */
const SERVER_PATIENCE_MS = 30 * SECOND_MS;
const SERVER_RETRY_MS = 250;

/** The project's configuration; none = the built-in agent. */
const configPath = process.argv[2];
const loadedFiles = trackLoadedFiles();
let worker: RunningWorker | undefined;
if (configPath !== undefined) {
  loadedFiles.add(configPath);
}

async function main(): Promise<void> {
  const config = parseConfig(process.env);
  const logger = createLogger({ level: config.logLevel, destination: 1 });
  // Listened for before there is anything to answer: an order without a listener is lost.
  const started = ordered('start');
  void ordered('stop').then(stop);
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
    stop();
  });
  const { catalog, adapters, policy } = await loadProject(configPath, config, loadedFiles.add);
  await tellParent({ type: 'loaded', project: summaryOf(catalog), files: loadedFiles.list() });
  await started;

  const store = await openStore(storeSettingsOf({ path: config.homeFolder }), { migrate: false });
  worker = await startPatiently({
    temporal: {
      address: config.temporalAddress ?? '127.0.0.1:7233',
      namespace: config.temporalNamespace,
      taskQueue: config.taskQueue,
    },
    identity: workerIdentity(realpathSync(config.homeFolder)),
    tenant: DEV_TENANT,
    store,
    catalog,
    adapters,
    ...(policy === undefined ? {} : { policy }),
    logger,
    feed: createParentFeed(process),
    bundlePath: BUNDLE_PATH,
    isDevelopment: true,
  });
  await tellParent({ type: 'ready' });
  await worker.finished;
  await store.close();
}

/** Lets writes that have begun finish. Before there is a worker nothing has begun, and the project's code may hang. */
function stop(): void {
  if (worker === undefined) {
    process.exit(1);
  }
  worker.shutdown();
}

/** Resolves when the parent gives the order. */
function ordered(type: WorkerOrder['type']): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (order: WorkerOrder) => {
      if (order.type === type) {
        resolve();
      }
    });
  });
}

function summaryOf({ agents, tools }: Catalog): LoadedProject {
  return {
    agents: [...agents.keys()].sort(),
    tools: tools.size,
    longestToolMs: Math.max(0, ...[...tools.values()].map(({ definition }) => definition.timeoutMs)),
  };
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
    await tellParent({ type: 'failed', code: errorCodeOf(error), message, files: loadedFiles.list() });
    process.exit(1);
  },
);
