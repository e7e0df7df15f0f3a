import { createFeedListeners } from '../../../src/core/feed-listeners';
import type { FeedEvent } from '../../../src/core/ports/feed';
import { committed, FEED_KEY } from '../../support/feed/feed-events';

test('all who listen are told to look, each about its own session, and who has left is not', () => {
  const listeners = createFeedListeners();
  const heard: FeedEvent[] = [];
  const note = (event: FeedEvent) => heard.push(event);
  listeners.add(FEED_KEY, note);
  listeners.add({ tenant: 'acme' }, note);
  listeners.add({ tenant: 'other' }, note)();
  listeners.tellAllToLook();
  expect(heard).toEqual([committed(), { tenant: 'acme', sessionId: '', type: 'committed' }]);
});

test('what comes first is told before anything else, and a listener that throws does not keep itself out', () => {
  const listeners = createFeedListeners();
  const heard: FeedEvent[] = [];
  const listener = (event: FeedEvent) => {
    heard.push(event);
    throw new Error('a listener in trouble');
  };
  listeners.add(FEED_KEY, listener, [committed()]);
  listeners.tell(committed());
  expect(heard).toHaveLength(2);
});
