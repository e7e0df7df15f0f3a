import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { createMemoryFeed } from '../adapters/feed/memory/memory-feed';
import { openStore } from '../adapters/store/open-store';
import { type HoldpointConfig, parseConfig } from '../config';
import { SECOND_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import { startGateway } from '../gateway/main';
import { createLogger } from '../telemetry/create-logger';
import { findProject, type ProjectPlace } from '../worker/find-project';
import { findForeignWorkers, type TaskQueuePlace } from './find-foreign-workers';
import { findTemporalServer } from './find-temporal-server';
import { acquireFolderLock } from './folder-lock';
import { startLiveReload } from './live-reload';
import type { Environment } from './run-command';
import { startTemporalServer } from './start-temporal-server';
import type { StateFolder } from './state-folder';
import { storeSettingsOf } from './store-settings';
import { superviseWorker, type WorkerSupervision, type WorkerSupervisionOptions } from './supervise-worker';
import { waitForTemporal } from './wait-for-temporal';
import { workerIdentity } from './worker-identity';

/** The page that the build wrote next to the compiled sources. */
const PAGE_FOLDER = join(__dirname, '..', '..', 'web');
/** How long a server that somebody else runs may take to answer. */
const FOREIGN_SERVER_TIMEOUT_MS = 10 * SECOND_MS;

export interface DevOptions {
  readonly environment: Environment;
  /** What `--config` was given. Undefined: the nearest configuration above the working folder, or none. */
  readonly configFile: string | undefined;
  /** Hears in one line each what a person at the terminal should know. */
  readonly report: (line: string) => void;
  /** Ends the start with its reason; what was started is stopped again. */
  readonly signal: AbortSignal;
}

/** Everything `holdpoint dev` runs. */
export interface RunningDev {
  readonly url: string;
  readonly config: HoldpointConfig;
  /** The project's configuration; undefined = the built-in agent. */
  readonly configPath: string | undefined;
  /** Names of the agents it started with. */
  readonly agents: readonly string[];
  readonly temporalAddress: string;
  /** The worker child at this moment; undefined between two children. */
  workerPid(): number | undefined;
  /** Stops worker, gateway, store and server, in this order. */
  stop(): Promise<void>;
}

/**
 * Starts Temporal server, store, gateway and worker on this machine and returns when all of them answer.
 * What was started before a failure is stopped again. Throws HoldpointError; see docs/errors.md, "Starting up".
 */
export async function startDev(options: DevOptions): Promise<RunningDev> {
  const place = findProject(options.configFile);
  const config = parseConfig(options.environment, process.cwd(), place.folder);
  if (place.configPath === undefined) {
    requireFolder(config.workspaceFolder);
    requireOutside(config.workspaceFolder, config.homeFolder);
  }
  const undo: (() => void | Promise<void>)[] = [];
  const stop = async () => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      await step();
    }
  };
  try {
    const lock = await acquireFolderLock(config.homeFolder);
    undo.push(() => lock.release());
    return await startLocked({ config, place, folder: lock.folder }, options, {
      undo,
      stop,
      announce: (url) => lock.announce(url),
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** On a server of its own a project meets nobody; on a shared one it may meet another project, or its own past. */
async function warnOfForeignWorkers(
  place: TaskQueuePlace,
  folder: StateFolder,
  report: (line: string) => void,
): Promise<void> {
  const others = await findForeignWorkers(place, workerIdentity(folder.path));
  if (others.length > 0) {
    report(
      `warning: another worker (${others.join(', ')}) polls task queue ${place.taskQueue} in namespace ` +
        `${place.namespace}; give each project a TEMPORAL_NAMESPACE of its own`,
    );
  }
}

/** A mistyped workspace must not look like an empty one. */
function requireFolder(workspaceFolder: string): void {
  if (!statSync(workspaceFolder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new HoldpointError(
      'invalid_config',
      `HOLDPOINT_WORKSPACE: expected a folder that exists, got ${JSON.stringify(workspaceFolder)}`,
    );
  }
}

/** The tools refuse to work in the state folder; somebody who meant another one should hear of it at the start. */
function requireOutside(workspaceFolder: string, homeFolder: string): void {
  const way = existsSync(homeFolder) ? relative(realpathSync(homeFolder), realpathSync(workspaceFolder)) : '..';
  if (way.split(sep)[0] !== '..') {
    throw new HoldpointError(
      'invalid_config',
      `HOLDPOINT_WORKSPACE: expected a folder outside the state folder, got ${JSON.stringify(workspaceFolder)}`,
    );
  }
}

interface Stack {
  readonly undo: (() => void | Promise<void>)[];
  stop(): Promise<void>;
  announce(url: string): void;
}

/** What runs, and where. */
interface Site {
  readonly config: HoldpointConfig;
  readonly place: ProjectPlace;
  readonly folder: StateFolder;
}

async function startLocked(site: Site, options: DevOptions, stack: Stack): Promise<RunningDev> {
  const { config, folder, place } = site;
  const { signal } = options;
  const logFd = openSync(join(folder.path, 'holdpoint.log'), 'a');
  stack.undo.push(() => closeSync(logFd));
  const logger = createLogger({ level: config.logLevel, destination: logFd });
  // What a person at the terminal is told is in the log too, for the one who comes later.
  const report = (line: string) => {
    options.report(line);
    logger.info(line);
  };

  const temporalAddress = await startServer(config, folder, { ...options, report }, stack);
  report(`temporal at ${temporalAddress}`);
  signal.throwIfAborted();

  // The parent migrates before the child opens the same file.
  const store = await openStore(storeSettingsOf(folder), { migrate: true });
  stack.undo.push(() => store.close());
  const feed = createMemoryFeed();
  const gateway = await startGateway({
    store,
    feed,
    port: config.port,
    pageFolder: PAGE_FOLDER,
    temporal: { address: temporalAddress, namespace: config.temporalNamespace, taskQueue: config.taskQueue },
    logger,
  });
  stack.undo.push(() => gateway.close());

  const environment = workerEnvironment(site, options.environment, temporalAddress);
  const { worker, agents } = await startWorkers(
    { environment, configPath: place.configPath, workingFolder: place.folder, outputFd: logFd, feed, report },
    stack,
  );
  signal.throwIfAborted();
  stack.announce(gateway.url);
  return {
    url: gateway.url,
    config,
    configPath: place.configPath,
    agents,
    temporalAddress,
    workerPid: () => worker.pid(),
    stop: () => stack.stop(),
  };
}

/** Folders are absolute for it: it works in the project's folder, wherever holdpoint was started. */
function workerEnvironment({ config }: Site, environment: Environment, temporalAddress: string): Environment {
  return {
    ...environment,
    HOLDPOINT_HOME: config.homeFolder,
    HOLDPOINT_WORKSPACE: config.workspaceFolder,
    TEMPORAL_ADDRESS: temporalAddress,
  };
}

/** Starts the worker and, where the project has code of its own, the watch over it. */
async function startWorkers(
  options: WorkerSupervisionOptions,
  { undo }: Stack,
): Promise<{ readonly worker: WorkerSupervision; readonly agents: readonly string[] }> {
  const { configPath, report } = options;
  const beganAtMs = Date.now();
  const worker = superviseWorker(options);
  undo.push(() => worker.stop());
  const { files, project } = await worker.first;
  if (configPath !== undefined) {
    const reload = startLiveReload({ worker, configPath, first: { beganAtMs, files, ok: true }, report });
    undo.push(() => reload.close());
  }
  return { worker, agents: project.agents };
}

async function startServer(
  config: HoldpointConfig,
  folder: StateFolder,
  { environment, report, signal }: DevOptions,
  stack: Stack,
): Promise<string> {
  const source = await findTemporalServer({ environment, report, signal });
  if (source.kind === 'address') {
    const namespace = config.temporalNamespace;
    await waitForTemporal({ address: source.address, namespace, timeoutMs: FOREIGN_SERVER_TIMEOUT_MS, signal });
    await warnOfForeignWorkers({ address: source.address, namespace, taskQueue: config.taskQueue }, folder, report);
    return source.address;
  }
  const server = await startTemporalServer({
    executable: source.executable,
    folder,
    environment,
    ...(config.temporalPort === undefined ? {} : { port: config.temporalPort }),
    namespace: config.temporalNamespace,
    onEvent: (event) => report(event.line),
    signal,
  });
  stack.undo.push(() => server.stop());
  return server.address;
}
