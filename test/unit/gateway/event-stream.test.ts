import { text } from 'node:stream/consumers';
import { EventStream } from '../../../src/gateway/event-stream';

interface Events {
  readonly entry: unknown;
  readonly status: unknown;
}

const newStream = (maxUnsentBytes = 1_000) => new EventStream<Events>({ stallTimeoutMs: 60_000, maxUnsentBytes });

/** Ends the stream once everything that was said so far is taken. */
async function endWhenTaken(stream: EventStream<Events>): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  stream.end();
}

it('frames each event with its name, its data on one line, and an id where there is one', async () => {
  const stream = newStream();
  stream.say('entry', { text: 'a\nb\r\nid: 7' }, 12);
  stream.say('status', null);
  const read = text(stream.body);
  await endWhenTaken(stream);
  expect(await read).toBe(
    'retry: 1000\n\n' + 'id: 12\nevent: entry\ndata: {"text":"a\\nb\\r\\nid: 7"}\n\n' + 'event: status\ndata: null\n\n',
  );
});

it('hands over large events in pieces, and whole characters of them', async () => {
  const stream = newStream();
  const data = 'ä€😀'.repeat(50_000);
  stream.say('entry', data);
  const read = text(stream.body);
  while (stream.isBehind) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await endWhenTaken(stream);
  expect(await read).toBe(`retry: 1000\n\nevent: entry\ndata: ${JSON.stringify(data)}\n\n`);
});

it('is behind while more is unsent than a reader may leave lying', async () => {
  const stream = newStream(100);
  expect(stream.isBehind).toBe(false);
  stream.say('entry', 'x'.repeat(100));
  expect(stream.isBehind).toBe(true);
  stream.body.resume();
  await new Promise((resolve) => setImmediate(resolve));
  expect(stream.isBehind).toBe(false);
  stream.end();
});

it('has room again when the reader has taken what was there, and does not let a waiting side hang when it is over', async () => {
  const stream = newStream();
  await stream.room();
  stream.say('entry', 'x'.repeat(200_000));
  const room = stream.room();
  stream.body.resume();
  await room;
  stream.body.pause();
  stream.say('entry', 'x'.repeat(200_000));
  const never = stream.room();
  stream.end();
  await never;
});

it('ends an answer that has not begun without a fault, since nothing is wrong with it', async () => {
  const stream = newStream();
  stream.end();
  stream.say('entry', 'nobody hears this');
  expect(await text(stream.body)).toBe('');
});

it('says that it is over to each who wants to know, once, however late they ask', () => {
  const stream = newStream();
  const heard: string[] = [];
  stream.onOver(() => heard.push('early'));
  stream.end();
  stream.end();
  stream.onOver(() => heard.push('late'));
  expect(heard).toEqual(['early', 'late']);
});

it('is over when its reader goes away', async () => {
  const stream = newStream();
  const over = new Promise<void>((resolve) => stream.onOver(resolve));
  stream.body.destroy();
  await over;
  expect(stream.isOver).toBe(true);
});
