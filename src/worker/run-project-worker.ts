import { join } from 'node:path';
import { createPostgresFeedPublisher } from '../adapters/feed/postgres/postgres-feed-publisher';
import { openStore } from '../adapters/store/open-store';
import { parseServiceConfig, type ServiceConfig } from '../config';
import { HoldpointError } from '../core/errors';
import type { Logger } from '../core/ports/logger';
import type { ProjectConfig } from '../definitions/define-config';
import { createLogger } from '../telemetry/create-logger';
import { warnOfNoAuthentication } from '../telemetry/no-authentication';
import { findProject } from './find-project';
import { loadProject, type Project, projectOf } from './load-project';
import { type RunningWorker, startWorker } from './start-worker';

/** The bundle that the build wrote next to the compiled sources. */
const BUNDLE_PATH = join(__dirname, '..', '..', 'workflow-bundle.js');
const DEFAULT_TENANT = 'default';
const DEFAULT_TEMPORAL_ADDRESS = '127.0.0.1:7233';

export interface CreateWorkerOptions {
  /** The project itself, as `defineConfig` returns it. Default: it is loaded. */
  readonly config?: ProjectConfig;
  /** The configuration to load, TypeScript or JavaScript. Default: the nearest one upward from the working folder. */
  readonly configPath?: string;
  /** The settings, see the table in the README. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: lines of JSON on standard output, from `HOLDPOINT_LOG_LEVEL` on. */
  readonly logger?: Logger;
  /** True: the store's tables are brought to this version first. Default false: other tables are refused. */
  readonly migrate?: boolean;
}

/** See `createWorker`, which loads this module when it is called. */
export async function runProjectWorker(options: CreateWorkerOptions): Promise<RunningWorker> {
  const settings = parseServiceConfig(options.environment ?? process.env);
  const logger = options.logger ?? createLogger({ name: 'worker', level: settings.logLevel });
  const project = await projectFor(options, settings);
  warnOfNoAuthentication('worker');
  const store = await openStore(settings.store, { migrate: options.migrate ?? false });
  const feed =
    settings.store.kind === 'postgres'
      ? createPostgresFeedPublisher({ connectionString: settings.store.connectionString, logger })
      : undefined;
  const close = async () => {
    await feed?.close();
    await store.close();
  };
  try {
    const worker = await startWorker({
      temporal: {
        address: settings.temporalAddress ?? DEFAULT_TEMPORAL_ADDRESS,
        namespace: settings.temporalNamespace,
        taskQueue: settings.taskQueue,
      },
      tenant: DEFAULT_TENANT,
      store,
      catalog: project.catalog,
      adapters: project.adapters,
      ...(project.policy === undefined ? {} : { policy: project.policy }),
      logger,
      ...(feed === undefined ? {} : { feed }),
      bundlePath: BUNDLE_PATH,
      isDevelopment: false,
    });
    logger.info('worker started', { agents: [...project.catalog.agents.keys()], taskQueue: settings.taskQueue });
    const shutdown = () => {
      logger.info('worker stopping: it takes no more work and finishes writes that have begun');
      worker.shutdown();
    };
    const finish = async () => {
      try {
        await worker.finished;
      } finally {
        await close();
      }
    };
    return { finished: finish(), shutdown };
  } catch (error) {
    await close();
    throw error;
  }
}

async function projectFor({ config, configPath }: CreateWorkerOptions, settings: ServiceConfig): Promise<Project> {
  if (config !== undefined) {
    return projectOf(config, settings);
  }
  const place = findProject(configPath);
  if (place.configPath === undefined) {
    throw new HoldpointError(
      'invalid_config',
      `expected a holdpoint.config.ts, .js or .mjs in ${place.folder} or above it, or its path, got none`,
    );
  }
  return loadProject(place.configPath, settings);
}
