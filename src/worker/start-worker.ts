import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { DefaultLogger, type LogLevel, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { type ActivityDependencies, type ActivityTiming, DEFAULT_TIMING } from '../activities/activity-dependencies';
import { createActivities } from '../activities/create-activities';
import { createFailureInterceptor } from '../activities/failure-mapping';
import { DEFAULT_SWEEP_TIMING, runSweep, type SweepTiming } from '../activities/sweep';
import { createActivityTemporalPort } from '../activities/temporal-port';
import { temporalRunDescription } from '../client/temporal-run-description';
import { createTemporalSessionExecutions } from '../client/temporal-session-executions';
import { MINUTE_MS, SECOND_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import type { Clock } from '../core/ports/clock';
import type { FeedPublisher } from '../core/ports/feed';
import type { Logger } from '../core/ports/logger';
import type { ModelAdapter } from '../core/ports/model-adapter';
import type { SessionStore } from '../core/ports/session-store';
import type { Catalog } from '../definitions/catalog';
import type { Policy } from '../definitions/policy';

/** What a worker process is made of. */
export interface WorkerSettings {
  readonly temporal: {
    /** `host:port`. */
    readonly address: string;
    readonly namespace: string;
    readonly taskQueue: string;
  };
  /** Name under which the worker polls. Default: process id and host. */
  readonly identity?: string;
  /** Tenant the worker's agents are published for. */
  readonly tenant: string;
  /** Opened and migrated; whoever opened it closes it, after `finished`. */
  readonly store: SessionStore;
  readonly catalog: Catalog;
  /** One per API. */
  readonly adapters: readonly ModelAdapter[];
  readonly logger: Logger;
  /** Hears what goes on in sessions, for those who watch. Default: nobody does. */
  readonly feed?: FeedPublisher;
  /** The workflow bundle that the build wrote. */
  readonly bundlePath: string;
  /** True: no grace for definitions another worker may have, and plain Temporal clients may start sessions. */
  readonly isDevelopment: boolean;
  /** Rules of the project. Default: reads run, writes are reviewed. */
  readonly policy?: Policy;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** Default: every 10 s, for what is older than 30 s. */
  readonly sweep?: Partial<SweepTiming>;
  /** Shorter times for tests. */
  readonly timing?: Partial<ActivityTiming>;
}

/** A worker that polls. */
export interface RunningWorker {
  /** Resolves when the worker has stopped and let go of its connection; rejects when it broke. */
  readonly finished: Promise<void>;
  /** Takes no more work and lets writes that have begun end; everything else has 5 s. May be called again. */
  shutdown(): void;
}

/** What may be cut short has this long after a shutdown. */
const STOPPING_GRACE_MS = 5 * SECOND_MS;
/** About 220 KB each; a workflow that falls out of the cache costs some tens of milliseconds when it wakes. */
const MAX_CACHED_WORKFLOWS = 500;
const DEFINITION_GRACE_MS = 2 * MINUTE_MS;
/** After a kill of the worker that caches a workflow, another one takes over this much later. */
const STICKY_TIMEOUT_MS = SECOND_MS;
const HEARTBEAT_THROTTLE_MS = 2 * SECOND_MS;

/**
 * Publishes the catalog's agents and starts a worker with the sweep.
 * Throws HoldpointError `temporal_unavailable`, `store_unavailable`, or `worker_start_failed` when Temporal's own
 * library refuses, for example a missing bundle or an unknown namespace.
 */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const { catalog, logger, store, temporal, tenant } = settings;
  installRuntime(logger);
  const agents = [...catalog.agents.values()];
  await store.publishAgents(
    agents.map(({ name, digest, published }) => ({ name, digest, definition: published })),
    tenant,
  );
  const connection = await connect(temporal.address);
  const stopping = new AbortController();
  try {
    const worker = await createWorker(settings, connection, stopping.signal);
    return runWorker(settings, worker, connection, stopping);
  } catch (error) {
    await connection.close();
    throw new HoldpointError(
      'worker_start_failed',
      `The worker did not start: ${messageOf(error)}`,
      {},
      {
        cause: error,
      },
    );
  }
}

async function connect(address: string): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect({ address });
  } catch (error) {
    throw new HoldpointError(
      'temporal_unavailable',
      `No Temporal server answers at ${address}.`,
      { address },
      {
        cause: error,
      },
    );
  }
}

function createWorker(settings: WorkerSettings, connection: NativeConnection, stopping: AbortSignal): Promise<Worker> {
  const { catalog, logger, temporal } = settings;
  const longestToolMs = Math.max(0, ...[...catalog.tools.values()].map(({ definition }) => definition.timeoutMs));
  return Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: temporal.taskQueue,
    ...(settings.identity === undefined ? {} : { identity: settings.identity }),
    workflowBundle: { codePath: settings.bundlePath },
    dataConverter: { payloadConverterPath: require.resolve('../workflows/payload-converter') },
    activities: createActivities(dependenciesOf(settings, stopping)),
    interceptors: { activity: [createFailureInterceptor(logger)] },
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT_MS,
    maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
    shutdownGraceTime: longestToolMs + STOPPING_GRACE_MS,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
  });
}

function dependenciesOf(settings: WorkerSettings, stopping: AbortSignal): ActivityDependencies {
  const { adapters, catalog, clock, feed, isDevelopment, logger, policy, store, timing } = settings;
  return {
    store,
    catalog,
    adapters: new Map(adapters.map((adapter) => [adapter.api, adapter])),
    clock: clock ?? { nowMs: async () => Date.now() },
    logger,
    feed: feed ?? { publish: () => undefined },
    temporal: createActivityTemporalPort(temporalRunDescription),
    policy,
    definitionGraceMs: isDevelopment ? 0 : DEFINITION_GRACE_MS,
    createsMissingRows: isDevelopment,
    stopping,
    timing: { ...DEFAULT_TIMING, ...timing },
  };
}

function runWorker(
  { logger, store, sweep, temporal }: WorkerSettings,
  worker: Worker,
  connection: NativeConnection,
  stopping: AbortController,
): RunningWorker {
  const sweeping = new AbortController();
  const executions = createTemporalSessionExecutions(
    new Client({ connection, namespace: temporal.namespace }),
    temporal.taskQueue,
  );
  const swept = runSweep(
    { store, executions, logger, holder: randomUUID() },
    { ...DEFAULT_SWEEP_TIMING, ...sweep },
    sweeping.signal,
  );
  let stoppingTimer: NodeJS.Timeout | undefined;
  const finish = async (): Promise<void> => {
    try {
      await worker.run();
    } finally {
      clearTimeout(stoppingTimer);
      stopping.abort();
      sweeping.abort();
      await swept;
      await connection.close();
    }
  };
  return {
    finished: finish(),
    shutdown: () => {
      sweeping.abort();
      stoppingTimer ??= setTimeout(() => stopping.abort(), STOPPING_GRACE_MS);
      if (worker.getState() === 'RUNNING') {
        worker.shutdown();
      }
    },
  };
}

/**
 * Sends the lines of Temporal's library to our logger. One process has one runtime: the first worker decides. Signals
 * stay with the process that owns the worker, since only it knows in what order things stop.
 */
function installRuntime(logger: Logger): void {
  const lines = new DefaultLogger('WARN', ({ level, message, meta }) => {
    logger[methodOf(level)](message, meta ?? {});
  });
  try {
    Runtime.install({
      logger: lines,
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
    });
  } catch (error) {
    logger.debug('The runtime of this process was installed before.', { error });
  }
}

function methodOf(level: LogLevel): 'debug' | 'info' | 'warn' | 'error' {
  switch (level) {
    case 'TRACE':
    case 'DEBUG':
      return 'debug';
    case 'INFO':
      return 'info';
    case 'WARN':
      return 'warn';
    case 'ERROR':
      return 'error';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
