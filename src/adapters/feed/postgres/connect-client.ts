import { Client } from 'pg';
import { SECOND_MS } from '../../../core/durations';

/** A query of a feed takes a moment; one that takes this long has lost its server. */
const QUERY_TIMEOUT_MS = 5 * SECOND_MS;

/** A connection for one purpose, and how one hears that it is gone. */
export interface FeedConnection {
  readonly client: Client;
  /** Resolves when the connection is over, whoever ended it. Never rejects. */
  readonly over: Promise<void>;
}

/**
 * Connects to Postgres outside the store's pool, since a pool hands its connections round. Rejects with the driver's
 * error when there is no server; the connection never throws by itself later.
 */
export async function connectClient(connectionString: string): Promise<FeedConnection> {
  const client = new Client({
    connectionString,
    keepAlive: true,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  const over = new Promise<void>((resolve) => {
    client.once('end', resolve);
    client.on('error', () => resolve());
  });
  try {
    await client.connect();
  } catch (error) {
    endClient({ client });
    throw error;
  }
  return { client, over };
}

/** Lets go of a connection without waiting: one whose server is gone may take minutes to end. */
export function endClient({ client }: Pick<FeedConnection, 'client'>): void {
  client.end().catch(() => undefined);
}
