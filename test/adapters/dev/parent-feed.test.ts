import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { FeedEvent } from '../../../src/core/ports/feed';
import { createParentFeed, type ParentChannel } from '../../../src/dev/parent-feed';
import { readWorkerMessage } from '../../../src/dev/read-worker-message';
import { committed, modelBegins, stepEnds, textChunk, toolBegins } from '../../support/feed/feed-events';

const SCRIPT = join(__dirname, '..', '..', 'support', 'dev', 'publish-to-parent.ts');
/** The script publishes 160 MB. */
const MAX_GROWTH_BYTES = 80 * 1024 * 1024;

let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

/** A child whose IPC channel ends in a plain socket, which is read when the test says so. */
function startChild(): { readonly lines: AsyncIterator<string>; readonly channel: Socket } {
  child = spawn(process.execPath, ['--import', 'tsx', SCRIPT], {
    cwd: resolve(__dirname, '../../..'),
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    env: { ...process.env, NODE_CHANNEL_FD: '3' },
  });
  const [, stdout, , channel] = child.stdio;
  return {
    lines: createInterface({ input: stdout as NodeJS.ReadableStream })[Symbol.asyncIterator](),
    channel: channel as Socket,
  };
}

test('a parent that does not read makes the worker neither grow nor wait; fragments are lost, the newest of the rest is not', async () => {
  const { lines, channel } = startChild();
  const grownBytes = Number((await lines.next()).value);
  expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);

  const events: FeedEvent[] = [];
  for await (const line of createInterface({ input: channel })) {
    const message = readWorkerMessage(JSON.parse(line));
    if (message?.type === 'feed') {
      events.push(message.event);
    }
    if (JSON.stringify(events.at(-1)) === JSON.stringify(stepEnds())) {
      break;
    }
  }
  expect(events[0]).toEqual(modelBegins());
  expect(events.slice(-2)).toEqual([committed(), stepEnds()]);
  const indexes = events.flatMap((event) => (event.type === 'chunk' ? [event.index] : []));
  expect(indexes).toEqual([...indexes].sort((left, right) => left - right));
  expect(indexes.length).toBeGreaterThan(10);
  expect(indexes.length).toBeLessThan(40_000);

  channel.destroy();
  expect((await lines.next()).value).toBe('survived');
}, 60_000);

test('a parent that goes away with events on their way does the worker no harm', async () => {
  const { lines, channel } = startChild();
  await lines.next();
  channel.destroy();
  expect((await lines.next()).value).toBe('survived');
  if (child?.exitCode === null) {
    await once(child, 'exit');
  }
  expect(child?.exitCode).toBe(0);
}, 60_000);

describe('on a channel that is full', () => {
  /** Takes messages and says only later, when told so, that they were sent. */
  function slowChannel() {
    const taken: unknown[] = [];
    const acknowledge: (() => void)[] = [];
    const channel = {
      connected: true,
      send: (message: unknown, _handle: unknown, _options: unknown, whenSent: () => void) => {
        taken.push((message as { readonly event: FeedEvent }).event);
        acknowledge.push(whenSent);
        return true;
      },
    };
    return {
      channel: channel as ParentChannel & { connected: boolean },
      taken,
      /** Everything that was taken has been sent. */
      drain: async () => {
        for (const whenSent of acknowledge.splice(0)) {
          whenSent();
        }
        await nextTick();
      },
    };
  }
  const large = 'x'.repeat(1024 * 1024);

  test('fragments are dropped until it has room again', async () => {
    const { channel, taken, drain } = slowChannel();
    const feed = createParentFeed(channel);
    feed.publish(textChunk(0, large));
    feed.publish(textChunk(1, 'lost'));
    await drain();
    feed.publish(textChunk(2, 'heard'));
    expect(taken).toEqual([textChunk(0, large), textChunk(2, 'heard')]);
  });

  test('of each step and of the commits of a session the newest waits, in the order of those', async () => {
    const { channel, taken, drain } = slowChannel();
    const feed = createParentFeed(channel);
    feed.publish(textChunk(0, large));
    const later = [committed(), modelBegins(), committed(), stepEnds(), toolBegins('t1-r1-c1'), committed()];
    for (const event of later) {
      feed.publish(event);
    }
    await drain();
    expect(taken.slice(1)).toEqual([stepEnds(), toolBegins('t1-r1-c1'), committed()]);
  });

  test('no more than 10,000 events wait', async () => {
    const { channel, taken, drain } = slowChannel();
    const feed = createParentFeed(channel);
    feed.publish(textChunk(0, large));
    for (let index = 0; index < 10_100; index += 1) {
      feed.publish(stepEnds(`step-${index}`));
    }
    for (let before = -1; before < taken.length; ) {
      before = taken.length;
      await drain();
    }
    expect(taken).toHaveLength(10_001);
  });

  test('what waits is forgotten when it closes, and nothing is sent any more', async () => {
    const { channel, taken, drain } = slowChannel();
    const feed = createParentFeed(channel);
    feed.publish(textChunk(0, large));
    feed.publish(committed());
    channel.connected = false;
    feed.publish(stepEnds());
    await drain();
    expect(taken).toHaveLength(1);
  });
});

test('a channel that throws costs an event and nothing else', () => {
  const feed = createParentFeed({
    connected: true,
    send: () => {
      throw new Error('the channel is closed');
    },
  });
  expect(() => feed.publish(committed())).not.toThrow();
});
