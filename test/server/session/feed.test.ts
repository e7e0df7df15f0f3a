import type { FeedEvent } from '../../../src/core/ports/feed';
import { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start();
});

afterAll(async () => {
  await stack.stop();
});

/** Everything the feed says of a session from now on. */
function listen(sessionId: string): FeedEvent[] {
  const heard: FeedEvent[] = [];
  stack.feed.subscribe({ tenant: 'default', sessionId }, (event) => heard.push(event));
  return heard;
}

function chunksOf(heard: readonly FeedEvent[]) {
  return heard.filter((event) => event.type === 'chunk');
}

/** `+` for what begins or is renewed, `-` for what ends; repeats are left out. */
function stepsOf(heard: readonly FeedEvent[]): readonly string[] {
  return heard
    .flatMap((event) => (event.type === 'step' ? [`${event.status === undefined ? '-' : '+'}${event.step}`] : []))
    .filter((name, place, all) => name !== all[place - 1]);
}

function untilHeard(isSo: () => boolean): Promise<boolean> {
  return waitUntil(isSo, Boolean);
}

/** What would be said to somebody who came now. */
function inTheAir(sessionId: string): readonly FeedEvent[] {
  return [...listen(sessionId)];
}

test('the fragments of a reply come while it is under way, without gaps, and make up what is stored', async () => {
  const heard = listen('streams');
  await stack.startSession('slow 2 then list', 'streams');
  await untilHeard(() => chunksOf(heard).length >= 3);
  const early = await stack.entries('streams');
  expect(early.filter(({ type }) => type === 'model.reply')).toEqual([]);
  await stack.untilTurnEnded('streams', 1);

  const replies = (await stack.entries('streams')).filter(({ type }) => type === 'model.reply');
  expect(replies.length).toBe(2);
  for (const { round, data } of replies) {
    const chunks = chunksOf(heard).filter((event) => event.round === round);
    expect(chunks.map(({ index, attempt }) => [index, attempt])).toEqual(chunks.map((_chunk, index) => [index, 1]));
    const text = chunks.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.text : '')).join('');
    expect(JSON.stringify(data)).toContain(JSON.stringify(text).slice(1, -1));
    const name = chunks.flatMap(({ chunk }) => (chunk.type === 'tool-call-delta' ? [chunk.name ?? ''] : [])).join('');
    expect(name).toBe(round === 1 ? 'list_files' : '');
  }
  expect(stepsOf(heard)).toEqual(['+t1.r1', '-t1.r1', '+t1-r1-c1', '-t1-r1-c1', '+t1.r2', '-t1.r2']);
  expect(inTheAir('streams')).toEqual([]);
});

test('a cancel ends the step, and so does a hold point', async () => {
  const heard = listen('cancelled');
  await stack.startSession('slow 30', 'cancelled');
  await untilHeard(() => chunksOf(heard).length > 0);
  await stack.post('/v1/sessions/cancelled/cancel', {});
  await stack.untilTurnEnded('cancelled', 1);
  await untilHeard(() => stepsOf(heard).at(-1) === '-t1.r1');
  expect(stepsOf(heard)).toEqual(['+t1.r1', '-t1.r1']);

  await stack.send('cancelled', 'write a.txt: hello');
  await stack.pending('cancelled');
  await untilHeard(() => stepsOf(heard).at(-1) === '-t2.r1');
  expect(inTheAir('cancelled')).toEqual([]);
});

test('an attempt that failed is over, and the next one begins its fragments anew', async () => {
  const heard = listen('fails');
  await stack.startSession('fail model_overloaded', 'fails');
  await untilHeard(() => chunksOf(heard).some(({ attempt }) => attempt === 2));
  await stack.post('/v1/sessions/fails/cancel', {});
  await stack.untilTurnEnded('fails', 1);

  for (const attempt of [1, 2]) {
    const indexes = chunksOf(heard).flatMap((event) => (event.attempt === attempt ? [event.index] : []));
    expect(indexes).toEqual(indexes.map((_index, place) => place));
  }
  await untilHeard(() => stepsOf(heard).at(-1) === '-t1.r1');
  expect(stepsOf(heard).slice(0, 4)).toEqual(['+t1.r1', '-t1.r1', '+t1.r1', '-t1.r1']);
});

test('a worker that stops ends its steps, and the next one streams a new attempt', async () => {
  const heard = listen('stopped');
  await stack.startSession('slow 8', 'stopped');
  await untilHeard(() => chunksOf(heard).length > 0);
  await stack.stopWorker();
  expect(stepsOf(heard)).toEqual(['+t1.r1', '-t1.r1']);
  expect(inTheAir('stopped')).toEqual([]);

  await stack.startWorker();
  await stack.untilTurnEnded('stopped', 1);
  const attempts = chunksOf(heard).map(({ attempt }) => attempt);
  expect(new Set(attempts).size).toBe(2);
  const second = chunksOf(heard).filter(({ attempt }) => attempt === attempts.at(-1));
  expect(second.map(({ index }) => index)).toEqual(second.map((_chunk, index) => index));
  expect(stepsOf(heard)).toEqual(['+t1.r1', '-t1.r1', '+t1.r1', '-t1.r1']);
});
