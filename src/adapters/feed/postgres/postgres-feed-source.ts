/** Hears from workers in other processes that something was committed, by Postgres LISTEN on one connection. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../core/durations';
import { createFeedListeners, type FeedListeners } from '../../../core/feed-listeners';
import type { FeedSource } from '../../../core/ports/feed';
import { COMMITTED_CHANNEL, EVERY_SESSION, readPayload } from './committed-channel';
import { connectClient, endClient, type FeedConnection } from './connect-client';
import { growingPause } from './growing-pause';
import type { PostgresFeedOptions } from './postgres-feed-publisher';

export interface PostgresFeedSource extends FeedSource {
  /** Hears nothing any more and lets go of the connection. */
  close(): Promise<void>;
}

/** A server that is gone without a word is noticed by the next one of these. */
const PING_EVERY_MS = 10 * SECOND_MS;

/**
 * A source of `committed` events. It connects at once, in the background, and again for as long as it is not closed.
 * What was committed while it was not connected nobody told it, so with every connection all who listen are told to
 * look at the store. Needs a connection of its own: a pooler that hands connections round loses LISTEN.
 */
export function createPostgresFeedSource(options: PostgresFeedOptions): PostgresFeedSource {
  const listeners = createFeedListeners();
  const closing = new AbortController();
  const listening = listenUntil(options, listeners, closing.signal);
  return {
    subscribe: (scope, listener) => listeners.add(scope, listener),
    close: async () => {
      closing.abort();
      await listening;
    },
  };
}

/** Never rejects. */
async function listenUntil(
  { connectionString, logger }: PostgresFeedOptions,
  listeners: FeedListeners,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const connection = await connectClient(connectionString);
      try {
        await listen(connection, listeners);
        failures = 0;
        await untilLost(connection, signal);
      } finally {
        endClient(connection);
      }
    } catch (error) {
      logger.debug('commits can not be heard of; streams look by themselves', { failures, error });
    }
    failures += 1;
    await growingPause(failures, signal);
  }
}

async function listen({ client }: FeedConnection, listeners: FeedListeners): Promise<void> {
  client.on('notification', ({ payload = '' }) => {
    for (const named of readPayload(payload)) {
      if (named === EVERY_SESSION) {
        listeners.tellAllToLook();
      } else {
        listeners.tell({ ...named, type: 'committed' });
      }
    }
  });
  await client.query(`listen ${COMMITTED_CHANNEL}`);
  // What comes from here on is heard; a look now sees what came before.
  listeners.tellAllToLook();
}

/** Resolves when the connection is over or `signal` fires; rejects when the server does not answer any more. */
async function untilLost({ client, over }: FeedConnection, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  void over.then(() => ended.abort());
  const stop = AbortSignal.any([signal, ended.signal]);
  while (!stop.aborted) {
    await sleep(PING_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    if (!stop.aborted) {
      await client.query('select 1');
    }
  }
}
