import type { Entry } from '../core/entries';
import { errorCodeOf } from '../core/errors';
import type { ChunkView, SessionStreamEvents } from '../core/http-answers';
import type { SessionKey } from '../core/ids';
import type { ChunkEvent, FeedEvent } from '../core/ports/feed';
import { Bell } from './bell';
import { type ChunkGate, createChunkGate } from './chunk-gate';
import { entryView } from './entry-view';
import type { EventStream } from './event-stream';
import type { GatewayContext } from './gateway-context';
import { createRunningSteps, type RunningSteps } from './running-steps';

/** Entries read at once, and their bytes. What a reader costs beside what is unsent is one page, so pages are small. */
const PAGE_ENTRIES = 100;
const PAGE_BYTES = 262_144;

interface Reader {
  readonly key: SessionKey;
  readonly stream: EventStream<SessionStreamEvents>;
  readonly gate: ChunkGate;
  readonly steps: RunningSteps;
  /** Rings when there may be new entries, and when the stream is over. */
  readonly bell: Bell;
}

/**
 * Says on `stream` what goes on in a session until the stream is over: the entries behind `after`, from the store alone,
 * and fragments and status, from the feed. Resolves at the end and never throws. A store that can't be asked is asked
 * again; a log that became shorter, or that may not be read any more, ends the stream.
 */
export async function streamSession(
  context: GatewayContext,
  key: SessionKey,
  after: number,
  stream: EventStream<SessionStreamEvents>,
): Promise<void> {
  const reader = { key, stream, gate: createChunkGate(), steps: createRunningSteps(), bell: new Bell() };
  const unsubscribe = context.feed?.subscribe(key, (event) => hear(reader, event));
  stream.onOver(() => {
    unsubscribe?.();
    reader.bell.ring();
  });
  try {
    await sayEntries(context, reader, after);
  } catch (error) {
    const code = errorCodeOf(error);
    const fields = { tenant: key.tenant, sessionId: key.sessionId, code, error };
    context.logger[code === 'session_erased' ? 'info' : 'error']('a stream ended', fields);
  } finally {
    stream.end();
  }
}

function hear(reader: Reader, event: FeedEvent): void {
  const { stream, gate, steps, bell } = reader;
  switch (event.type) {
    case 'committed':
      bell.ring();
      break;
    case 'chunk':
      if (!stream.isBehind && gate.passChunk(event)) {
        stream.say('chunk', chunkView(event));
      }
      break;
    case 'step':
      steps.note(event);
      sayStatus(reader);
      break;
  }
}

/** What a reader that is behind was not told is told when it is not any more. */
function sayStatus({ stream, steps }: Reader): void {
  const change = stream.isBehind ? undefined : steps.takeChange();
  if (change !== undefined) {
    stream.say('status', change);
  }
}

async function sayEntries(context: GatewayContext, reader: Reader, from: number): Promise<void> {
  const { key, stream, gate, bell } = reader;
  let after = from;
  let isFresh = true;
  while (!stream.isOver) {
    const entries = await lookBehind(context, key, after, isFresh);
    if (entries === undefined) {
      return;
    }
    for (const entry of entries) {
      gate.passEntry(entry);
      stream.say('entry', entryView(entry), entry.seq);
      after = entry.seq;
    }
    // The next page is not read for a reader that has no room for it.
    await stream.room();
    sayStatus(reader);
    isFresh = entries.length > 0;
    if (!isFresh) {
      await bell.wait(context.streams.lookEveryMs);
    }
  }
}

/**
 * The next entries, none while there are none or the store can't be asked; undefined for a log that ends before `after`.
 * That is not looked for when `after` was just read from it.
 */
async function lookBehind(
  { store, logger }: GatewayContext,
  key: SessionKey,
  after: number,
  isFresh: boolean,
): Promise<readonly Entry[] | undefined> {
  try {
    const entries = await store.listEntries(key, after, PAGE_ENTRIES, PAGE_BYTES);
    if (entries === undefined || entries.length > 0 || isFresh) {
      return entries;
    }
    const session = await store.readSession(key);
    return session === undefined || session.lastSeq < after ? undefined : entries;
  } catch (error) {
    if (errorCodeOf(error) !== 'store_unavailable') {
      throw error;
    }
    logger.debug('a stream waits for the store', { tenant: key.tenant, sessionId: key.sessionId, error });
    return [];
  }
}

function chunkView({ turn, round, attempt, index, chunk }: ChunkEvent): ChunkView {
  return { turn, round, attempt, index, chunk };
}
