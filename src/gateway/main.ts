import type { FastifyInstance } from 'fastify';
import { createTemporalSessionClient, type TemporalSessionClientSettings } from '../client/temporal-session-client';
import { SECOND_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import type { Tenant } from '../core/ids';
import type { Clock } from '../core/ports/clock';
import type { FeedSource } from '../core/ports/feed';
import type { GatewayStore } from '../core/ports/gateway-store';
import type { Logger } from '../core/ports/logger';
import { readPage } from './read-page';
import { createGatewayServer } from './server';
import { STREAM_DEFAULTS, type StreamSettings } from './stream-settings';

export interface GatewayOptions {
  /** Stays open when the gateway closes: who opened it closes it. */
  readonly store: GatewayStore;
  /** The Temporal server, which need not be up, its namespace, and the task queue that sessions are started on. */
  readonly temporal: TemporalSessionClientSettings;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Port on it; 0 = any free one. */
  readonly port: number;
  /** What callers may write into `Host` besides the names of this machine; see `refuseForeignRequest`. Default: nothing. */
  readonly allowedHosts?: readonly string[];
  readonly logger: Logger;
  /** Makes streams quick and shows fragments; without it streams look at the store every two seconds. */
  readonly feed?: FeedSource;
  /** What differs from `STREAM_DEFAULTS`. */
  readonly streams?: Partial<StreamSettings>;
  /** Folder of the built web page. Without it `GET /` is no route. */
  readonly pageFolder?: string;
  /** Default `default`. */
  readonly tenant?: string;
  /** Default: the process's clock. */
  readonly clock?: Clock;
  /** How long a decision waits for its outcome, in milliseconds. Default 5,000. */
  readonly outcomeTimeoutMs?: number;
}

export interface Gateway {
  /** `http://<host>:<port>`. */
  readonly url: string;
  /**
   * Takes no new connections, finishes requests under way (at most 5 s; decisions that wait for their outcome are
   * answered with 202 at once), ends idle connections. A second call waits for the first.
   */
  readonly close: () => Promise<void>;
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_TENANT = 'default';
/** There is no login on a loopback gateway. */
const LOCAL_PRINCIPAL = 'local';
const DEFAULT_OUTCOME_TIMEOUT_MS = 5 * SECOND_MS;
const CLOSE_GRACE_MS = 5 * SECOND_MS;

/**
 * Starts the gateway. It resolves once requests are answered, whether Temporal is up or not.
 * Throws `port_in_use`, and `invalid_config` for a port this user may not open or a page that was not built.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const host = options.host ?? DEFAULT_HOST;
  const page = options.pageFolder === undefined ? undefined : readPage(options.pageFolder);
  const closing = new AbortController();
  const sessions = createTemporalSessionClient(options.temporal);
  const server = createGatewayServer({
    store: options.store,
    sessions,
    allowedHosts: options.allowedHosts ?? [],
    tenant: (options.tenant ?? DEFAULT_TENANT) as Tenant,
    principal: LOCAL_PRINCIPAL,
    clock: options.clock ?? { nowMs: async () => Date.now() },
    logger: options.logger,
    feed: options.feed,
    page,
    streams: { ...STREAM_DEFAULTS, ...options.streams },
    outcomeTimeoutMs: options.outcomeTimeoutMs ?? DEFAULT_OUTCOME_TIMEOUT_MS,
    closing: closing.signal,
  });
  try {
    await server.listen({ host, port: options.port });
  } catch (error) {
    await server.close();
    await sessions.disconnect();
    throw listenFault(error, host, options.port);
  }
  const close = async () => {
    closing.abort();
    await closeWithin(server, CLOSE_GRACE_MS);
    await sessions.disconnect();
  };
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

async function closeWithin(server: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearTimeout(timer);
  }
}

function portOf(server: FastifyInstance): number {
  const address = server.server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

function listenFault(error: unknown, host: string, port: number): unknown {
  switch ((error as { readonly code?: unknown }).code) {
    case 'EADDRINUSE':
      return new HoldpointError(
        'port_in_use',
        `port ${port} on ${host} is in use; stop what listens there, or set HOLDPOINT_PORT to another port`,
        { port },
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
      return new HoldpointError(
        'invalid_config',
        `HOLDPOINT_HOST: expected an address of this machine, got ${host}`,
        { host },
        { cause: error },
      );
    case 'EACCES':
      return new HoldpointError(
        'invalid_config',
        `HOLDPOINT_PORT: port ${port} may not be opened by this user; take one from 1024 on`,
        { port },
        { cause: error },
      );
    default:
      return error;
  }
}
