import { createMemoryFeed, type MemoryFeed } from '../../../src/adapters/feed/memory/memory-feed';
import type { SessionId } from '../../../src/core/ids';
import type { FeedEvent, FeedScope } from '../../../src/core/ports/feed';
import { committed, FEED_KEY, modelBegins, stepEnds, textChunk, toolBegins } from '../../support/feed/feed-events';

const OTHER_SESSION = { ...FEED_KEY, sessionId: 's2' as SessionId };
const OTHER_TENANT = { ...FEED_KEY, tenant: 'other' as typeof FEED_KEY.tenant };

let feed: MemoryFeed;

beforeEach(() => {
  jest.useFakeTimers();
  feed = createMemoryFeed();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Listens from now on; what came before it, and then what comes, is in the returned array. */
function listen(scope: FeedScope = FEED_KEY, to: MemoryFeed = feed): FeedEvent[] {
  const heard: FeedEvent[] = [];
  to.subscribe(scope, (event) => heard.push(event));
  return heard;
}

function publish(...events: readonly FeedEvent[]): void {
  for (const event of events) {
    feed.publish(event);
  }
}

test('a session hears its own events in the order they were published, a tenant those of all its sessions', () => {
  const session = listen();
  const tenant = listen({ tenant: 'acme' });
  const events = [modelBegins(), textChunk(0, 'a'), committed(OTHER_SESSION), textChunk(1, 'b'), committed()];
  publish(committed(OTHER_TENANT), ...events);
  expect(session).toEqual(events.filter(({ sessionId }) => sessionId === 's1'));
  expect(tenant).toEqual(events);
});

test('who has unsubscribed hears nothing any more, also when that happens while an event is handed round', () => {
  const heard: FeedEvent[] = [];
  let stop = (): void => undefined;
  feed.subscribe(FEED_KEY, () => stop());
  stop = feed.subscribe(FEED_KEY, (event) => heard.push(event));
  publish(committed(), committed());
  expect(heard).toEqual([]);
});

test('the same function listens twice when it was subscribed twice, and once when one of them ended', () => {
  const listener = jest.fn();
  feed.subscribe(FEED_KEY, listener);
  const stop = feed.subscribe(FEED_KEY, listener);
  publish(committed());
  expect(listener).toHaveBeenCalledTimes(2);
  stop();
  stop();
  publish(committed());
  expect(listener).toHaveBeenCalledTimes(3);
});

test('a listener that throws disturbs neither the publisher nor the next listener', () => {
  publish(modelBegins());
  feed.subscribe(FEED_KEY, () => {
    throw new Error('the listener broke');
  });
  const heard = listen();
  publish(committed());
  expect(heard).toEqual([modelBegins(), committed()]);
});

test('who joins late first hears the steps that run and the fragments of the attempt under way, before subscribe returns', () => {
  publish(modelBegins(), textChunk(0, 'a'), toolBegins('t1-r1-c1'), textChunk(1, 'b'), committed());
  publish(modelBegins({ key: OTHER_SESSION }), textChunk(0, 'other', { key: OTHER_SESSION }));
  const heard = listen();
  expect(heard).toEqual([modelBegins(), textChunk(0, 'a'), textChunk(1, 'b'), toolBegins('t1-r1-c1')]);
  publish(textChunk(2, 'c'));
  expect(heard.at(-1)).toEqual(textChunk(2, 'c'));
});

test('who listens to a whole tenant hears nothing of what is in the air', () => {
  publish(modelBegins(), textChunk(0, 'a'));
  expect(listen({ tenant: 'acme' })).toEqual([]);
});

test('a new attempt replaces the fragments of the one before, and what the old one still says is not kept', () => {
  publish(modelBegins(), textChunk(0, 'old'), textChunk(1, 'older'));
  publish(textChunk(0, 'new', { attempt: 2 }), textChunk(2, 'zombie'));
  expect(listen()).toEqual([modelBegins(), textChunk(0, 'new', { attempt: 2 })]);
});

test('a step that is walked again with the same attempt begins anew', () => {
  publish(modelBegins(), textChunk(0, 'before a reset'), textChunk(1, 'x'), textChunk(0, 'after it'));
  expect(listen()).toEqual([modelBegins(), textChunk(0, 'after it')]);
});

test('the end of a model call drops its fragments, and later ones of a slow attempt are not kept', () => {
  publish(modelBegins(), textChunk(0, 'a'), stepEnds(), textChunk(1, 'b'));
  expect(listen()).toEqual([]);
  publish(modelBegins());
  expect(listen()).toEqual([modelBegins()]);
});

test('the end of one step leaves the others running', () => {
  publish(toolBegins('t1-r1-c1'), toolBegins('t1-r1-c2'), stepEnds('t1-r1-c1'));
  expect(listen()).toEqual([toolBegins('t1-r1-c2')]);
});

test('a step that is not renewed for 15 seconds is over, for those who listen and for those who join', () => {
  publish(modelBegins(), textChunk(0, 'a'));
  const heard = listen();
  jest.advanceTimersByTime(14_000);
  publish(modelBegins());
  jest.advanceTimersByTime(14_000);
  expect(heard).not.toContainEqual(stepEnds());
  jest.advanceTimersByTime(1_500);
  expect(heard.at(-1)).toEqual(stepEnds());
  expect(listen()).toEqual([]);
  jest.advanceTimersByTime(60_000);
  expect(heard.filter((event) => event.type === 'step' && event.status === undefined)).toHaveLength(1);
});

test('clear says that every step is over and forgets what was in the air', () => {
  publish(modelBegins(), textChunk(0, 'a'), toolBegins('t1-r1-c1'), modelBegins({ key: OTHER_SESSION }));
  const heard = listen();
  const inTheAir = heard.length;
  feed.clear();
  expect(heard.slice(inTheAir)).toEqual([stepEnds(), stepEnds('t1-r1-c1')]);
  expect(listen()).toEqual([]);
  expect(listen(OTHER_SESSION)).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});

describe('what is kept is bounded', () => {
  const text = 'x'.repeat(36);

  test('of a step the oldest fragments go first', () => {
    feed = createMemoryFeed({ keptPerStep: 250 });
    publish(modelBegins(), ...[0, 1, 2, 3].map((index) => textChunk(index, text)));
    expect(listen()).toEqual([modelBegins(), textChunk(2, text), textChunk(3, text)]);
  });

  test('a fragment that is too large by itself is not kept, the next one is', () => {
    feed = createMemoryFeed({ keptPerStep: 250 });
    publish(modelBegins(), textChunk(0, 'y'.repeat(300)), textChunk(1, text));
    expect(listen()).toEqual([modelBegins(), textChunk(1, text)]);
  });

  test('of all steps the one that began first loses its fragments', () => {
    feed = createMemoryFeed({ keptInAll: 250 });
    publish(modelBegins(), textChunk(0, text), modelBegins({ key: OTHER_SESSION }));
    publish(textChunk(0, text, { key: OTHER_SESSION }), textChunk(1, text, { key: OTHER_SESSION }));
    expect(listen()).toEqual([modelBegins()]);
    expect(listen(OTHER_SESSION)).toHaveLength(3);
  });

  test('what was dropped counts no longer', () => {
    feed = createMemoryFeed({ keptInAll: 250 });
    publish(modelBegins(), textChunk(0, text));
    for (let round = 2; round < 50; round += 1) {
      publish(modelBegins({ round }), textChunk(0, text, { round }), stepEnds(`t1.r${round}`));
    }
    publish(textChunk(0, text, { attempt: 2 }), textChunk(0, text, { attempt: 3 }));
    expect(listen()).toEqual([modelBegins(), textChunk(0, text, { attempt: 3 })]);
  });
});
