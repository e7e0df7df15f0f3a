import { join } from 'node:path';
import { createPostgresFeedSource } from '../adapters/feed/postgres/postgres-feed-source';
import { openStore } from '../adapters/store/open-store';
import { parseServiceConfig } from '../config';
import { createLogger } from '../telemetry/create-logger';
import { warnOfNoAuthentication } from '../telemetry/no-authentication';
import { type Gateway, startGateway } from './main';

/** The page that the build wrote next to the compiled sources. */
const PAGE_FOLDER = join(__dirname, '..', '..', 'web');
const DEFAULT_TEMPORAL_ADDRESS = '127.0.0.1:7233';

/**
 * Starts a gateway as a process of its own does, outside `dev`: its settings come from the environment and its log goes to
 * standard output. Closing it closes its store, too.
 *
 * Throws HoldpointError `invalid_config`, also while there is no authentication and `HOLDPOINT_UNSAFE_NO_AUTH` does not
 * say that this is known; `schema_mismatch` for a store of another version, `store_unavailable`, `port_in_use`.
 */
export async function runGateway(environment: Readonly<Record<string, string | undefined>>): Promise<Gateway> {
  const config = parseServiceConfig(environment);
  const logger = createLogger({ name: 'gateway', level: config.logLevel });
  warnOfNoAuthentication('gateway');
  const store = await openStore(config.store, { migrate: false });
  const feed =
    config.store.kind === 'postgres'
      ? createPostgresFeedSource({ connectionString: config.store.connectionString, logger })
      : undefined;
  const close = async () => {
    await feed?.close();
    await store.close();
  };
  try {
    const gateway = await startGateway({
      store,
      ...(feed === undefined ? {} : { feed }),
      temporal: {
        address: config.temporalAddress ?? DEFAULT_TEMPORAL_ADDRESS,
        namespace: config.temporalNamespace,
        taskQueue: config.taskQueue,
      },
      host: config.host,
      port: config.port,
      allowedHosts: config.allowedHosts,
      pageFolder: PAGE_FOLDER,
      logger,
    });
    logger.info('gateway started', { url: gateway.url });
    const closeAll = async () => {
      await gateway.close();
      await close();
    };
    let closed: Promise<void> | undefined;
    return {
      url: gateway.url,
      close: () => {
        closed ??= closeAll();
        return closed;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
