/**
 * Tells gateways in other processes that something was committed, by Postgres NOTIFY.
 *
 * It is told after the commit, on a connection of its own. A NOTIFY inside the store's transactions could not be lost,
 * but Postgres lets transactions that notify commit only one after the other, in the whole cluster, each with its wait
 * for the disk: 20 writers made 475 commits a second instead of 2,600. A hint that is lost here, because its worker died in that
 * moment, costs a reader the two seconds until its stream looks by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { workflowIdOf } from '../../../core/ids';
import type { FeedPublisher } from '../../../core/ports/feed';
import type { Logger } from '../../../core/ports/logger';
import { COMMITTED_CHANNEL, EVERY_SESSION, namesThatFit, payloadOf } from './committed-channel';
import { connectClient, endClient, type FeedConnection } from './connect-client';
import { growingPause } from './growing-pause';

export interface PostgresFeedPublisher extends FeedPublisher {
  /** Says what still waits, if the database answers, and lets go of the connection. */
  close(): Promise<void>;
}

export interface PostgresFeedOptions {
  readonly connectionString: string;
  readonly logger: Logger;
}

/** Between two notifications hints gather, so that many commits cost few of them. */
const GATHER_MS = 20;
/** More sessions than this that wait, in a long outage, become a single "look at all of them". */
const MAX_WAITING = 10_000;

/**
 * A publisher whose `committed` events reach every `PostgresFeedSource` of the database; fragments and steps stay where
 * they are. It connects with the first event and again whenever it has to; what could not be said is said then.
 */
export function createPostgresFeedPublisher(options: PostgresFeedOptions): PostgresFeedPublisher {
  const publisher = new Publisher(options);
  return { publish: (event) => publisher.publish(event), close: () => publisher.close() };
}

class Publisher {
  readonly #options: PostgresFeedOptions;
  readonly #closing = new AbortController();
  /** Names of sessions that were not said yet. */
  readonly #waiting = new Set<string>();
  #connection: FeedConnection | undefined;
  /** Undefined while nothing waits. */
  #sending: Promise<void> | undefined;

  constructor(options: PostgresFeedOptions) {
    this.#options = options;
  }

  publish(event: Parameters<FeedPublisher['publish']>[0]): void {
    if (event.type !== 'committed' || this.#closing.signal.aborted) {
      return;
    }
    this.#add(workflowIdOf(event));
    this.#sending ??= this.#send();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sending;
    this.#drop();
  }

  #add(name: string): void {
    if (this.#waiting.size >= MAX_WAITING) {
      this.#waiting.clear();
      this.#waiting.add(EVERY_SESSION);
    }
    this.#waiting.add(name);
  }

  /** Runs while something waits. Never rejects. */
  async #send(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; this.#waiting.size > 0; ) {
      const names = namesThatFit(this.#waiting);
      for (const name of names) {
        this.#waiting.delete(name);
      }
      try {
        await this.#notify(names);
        failures = 0;
        await sleep(GATHER_MS, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        failures += 1;
        this.#drop();
        this.#options.logger.debug('commits could not be announced; they will be again', { failures, error });
        if (signal.aborted) {
          break;
        }
        names.forEach((name) => {
          this.#add(name);
        });
        await growingPause(failures, signal);
      }
    }
    this.#sending = undefined;
  }

  async #notify(names: readonly string[]): Promise<void> {
    this.#connection ??= await this.#connect();
    await this.#connection.client.query('select pg_notify($1, $2)', [COMMITTED_CHANNEL, payloadOf(names)]);
  }

  async #connect(): Promise<FeedConnection> {
    const connection = await connectClient(this.#options.connectionString);
    // Nothing is written; there is nothing to wait for the disk for while other notifications wait for this one.
    await connection.client.query('set synchronous_commit = off');
    return connection;
  }

  #drop(): void {
    if (this.#connection !== undefined) {
      endClient(this.#connection);
      this.#connection = undefined;
    }
  }
}
