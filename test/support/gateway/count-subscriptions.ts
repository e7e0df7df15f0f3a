import type { FeedSource } from '../../../src/core/ports/feed';

/** Counts from now on who listens to a feed. */
export function countSubscriptions(feed: FeedSource): () => number {
  let count = 0;
  const subscribe = feed.subscribe.bind(feed);
  feed.subscribe = (scope, listener) => {
    const unsubscribe = subscribe(scope, listener);
    count += 1;
    let isOver = false;
    return () => {
      count -= isOver ? 0 : 1;
      isOver = true;
      unsubscribe();
    };
  };
  return () => count;
}
