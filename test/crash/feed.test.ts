import { DevProcess } from '../support/dev-process';
import { StreamReader } from '../support/gateway/stream-reader';

/** A step is renewed every 2 s, and over by itself 15 s after the last time: 13 s after the kill or later. */
const CLEAR_DEADLINE_MS = 12_000;

let dev: DevProcess;

beforeEach(async () => {
  dev = new DevProcess();
  await dev.start();
});

afterEach(async () => {
  await dev.dispose();
});

function watch(sessionId: string): Promise<StreamReader> {
  return StreamReader.open(Number(new URL(dev.url).port), `/v1/sessions/${sessionId}/stream`);
}

const repliesOf = (reader: StreamReader) => reader.all('entry').filter(({ type }) => type === 'model.reply');

const places = (reader: StreamReader, attempt: number) =>
  reader.all('chunk').flatMap((chunk) => (chunk['attempt'] === attempt ? [Number(chunk['index'])] : []));

const lastStatus = (reader: StreamReader) => reader.events.findLast(({ event }) => event === 'status')?.data;

test('what the worker child says reaches who watches the session while the reply is under way', async () => {
  const sessionId = await dev.startSession('slow 3 then list');
  const reader = await watch(sessionId);
  await reader.until((read) => places(read, 1).length > 3);
  expect(repliesOf(reader)).toEqual([]);
  expect(lastStatus(reader)).toMatchObject({ turn: 1, round: 1, tool: null });

  await reader.until(
    (read) => read.all('entry').some(({ type }) => type === 'turn.ended') && lastStatus(read) === null,
  );
  const indexes = reader.all('chunk').flatMap((chunk) => (chunk['round'] === 1 ? [chunk['index']] : []));
  expect(indexes).toEqual(indexes.map((_index, place) => place));
  expect(repliesOf(reader)).toHaveLength(2);
});

test('kill -9 of the worker clears the status, and the next attempt is streamed from its start', async () => {
  const sessionId = await dev.startSession('slow 5');
  const reader = await watch(sessionId);
  await reader.until((read) => places(read, 1).length > 3);
  dev.killChildren();
  // Well before the status would be taken for over because nobody renews it; leaving makes the wait fail.
  const deadline = setTimeout(() => void reader.leave(), CLEAR_DEADLINE_MS);
  await reader.until((read) => lastStatus(read) === null);
  clearTimeout(deadline);
  expect(repliesOf(reader)).toEqual([]);

  await reader.until(
    (read) => read.all('entry').some(({ type }) => type === 'turn.ended') && lastStatus(read) === null,
  );
  expect(places(reader, 2).length).toBeGreaterThan(3);
  expect(places(reader, 2)).toEqual(places(reader, 2).map((_index, place) => place));
  expect(repliesOf(reader)).toHaveLength(1);
});
