import type { Chunk } from '../core/chunks';
import type { SessionKey } from '../core/ids';
import type { FeedChunk, FeedPublisher } from '../core/ports/feed';
import type { AttemptPlace } from './model-attempts';

/** Makes the function that puts one attempt's fragments on the feed, those people read, numbered from 0. */
export function chunkPublisher(
  feed: FeedPublisher,
  { tenant, sessionId }: SessionKey,
  { turn, round, attempt }: AttemptPlace,
): (chunk: Chunk) => void {
  let index = 0;
  return (chunk) => {
    if (isFeedChunk(chunk)) {
      feed.publish({ tenant, sessionId, type: 'chunk', turn, round, attempt, index, chunk });
      index += 1;
    }
  };
}

function isFeedChunk(chunk: Chunk): chunk is FeedChunk {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' || chunk.type === 'tool-call-delta';
}
