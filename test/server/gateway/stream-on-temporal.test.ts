import { type StreamEvent, StreamReader } from '../../support/gateway/stream-reader';
import { RunningStack } from '../../support/running-stack';
import { seededRandom } from '../../support/seeded-random';

const SEED = 7;
const CUTS = 50;
const MESSAGES = ['list', 'slow 1 then list', 'read a.txt, b.txt and c.txt', 'write note.txt: one', 'hello'];

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start();
});

afterAll(() => stack.stop());

const port = () => Number(new URL(stack.gateway.url).port);

/** Fragments as places; each is to be behind the one before. */
function ranksOf(events: readonly StreamEvent[]): readonly number[] {
  return events
    .filter(({ event }) => event === 'chunk')
    .map(({ data }) => Number(data?.['turn']) * 1e6 + Number(data?.['round']) * 1e3 + Number(data?.['attempt']));
}

/** Fragments that came after the reply of their round. */
function lateFragments(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return events.filter(({ event, data }, place) => {
    const isReplied = events
      .slice(0, place)
      .some(
        ({ data: earlier }) =>
          earlier?.['type'] === 'model.reply' &&
          earlier['turn'] === data?.['turn'] &&
          earlier['round'] === data?.['round'],
      );
    return event === 'chunk' && isReplied;
  });
}

/** Decides whatever the session asks until its turns are over. */
async function work(sessionId: string): Promise<void> {
  for (const [index, message] of MESSAGES.entries()) {
    await stack.send(sessionId, message);
    if (message.startsWith('write')) {
      const [question] = await stack.pending(sessionId);
      if (question === undefined) {
        throw new Error('nothing was asked');
      }
      expect((await stack.decide(question, 'approve')).status).toBe(200);
    }
    await stack.untilTurnEnded(sessionId, index + 2);
  }
}

test('a reader that is cut fifty times while a session works gets its log, each entry once and in order', async () => {
  const random = seededRandom(SEED);
  const sessionId = await stack.startSession('hello', 'cut');
  let isWorking = true;
  const working = work(sessionId).finally(() => {
    isWorking = false;
  });
  const entries: unknown[] = [];
  for (let cut = 0; cut < CUTS || isWorking; cut += 1) {
    const headers = entries.length === 0 ? {} : { 'last-event-id': String(entries.length) };
    const reader = await StreamReader.open(port(), `/v1/sessions/${sessionId}/stream`, headers);
    const enough = Math.floor(random() * 4);
    // Also cut in a pause of the session: there is nothing to wait for then but time.
    await Promise.race([
      reader.until(({ events }) => events.length >= enough),
      new Promise((resolve) => setTimeout(resolve, 500)),
    ]);
    await reader.leave();
    entries.push(...reader.all('entry'));
    expect(lateFragments(reader.events)).toEqual([]);
    expect(ranksOf(reader.events)).toEqual([...ranksOf(reader.events)].sort((left, right) => left - right));
  }
  await working;
  const stored = await stack.wireEntries(sessionId);
  const last = await StreamReader.open(port(), `/v1/sessions/${sessionId}/stream?after=${entries.length}`);
  await last.until(() => last.seqs().length === stored.length - entries.length);
  expect([...entries, ...last.all('entry')]).toEqual(stored);
  expect(stored.length).toBeGreaterThan(30);
});

test('a reader sees fragments and what runs while a reply is written, and in the end the reply and that nothing runs', async () => {
  await stack.startSession('hello', 'watched');
  await stack.untilTurnEnded('watched', 1);
  const reader = await StreamReader.open(port(), '/v1/sessions/watched/stream');
  await stack.send('watched', 'slow 2 then list');
  await reader.until(({ events }) => events.some(({ event, data }) => event === 'chunk' && data?.['turn'] === 2));
  expect(reader.all('status').at(-1)).toMatchObject({ turn: 2, round: 1, tool: null });
  await reader.until(({ events }) =>
    events.some(({ data }) => data !== null && data['type'] === 'turn.ended' && data['turn'] === 2),
  );
  await reader.until(({ events }) => events.findLast(({ event }) => event === 'status')?.data === null);
  const text = reader
    .all('chunk')
    .filter(({ turn, round }) => turn === 2 && round === 1)
    .map(({ chunk }) => (chunk as { readonly text?: string }).text ?? '')
    .join('');
  const reply = reader.all('entry').find(({ type, turn }) => type === 'model.reply' && turn === 2);
  expect(text).not.toBe('');
  expect(JSON.stringify(reply)).toContain(JSON.stringify(text).slice(1, -1));
  expect(lateFragments(reader.events)).toEqual([]);
});

test('a listener to the questions is told of one that is asked and of its decision', async () => {
  const reader = await StreamReader.open(port(), '/v1/approvals/stream');
  await reader.until(({ events }) => events.length === 1);
  await stack.startSession('write asked.txt: one', 'asks');
  await reader.until(() => reader.all('approval').length === 1);
  const [question] = await stack.pending('asks');
  expect(reader.all('approval')[0]).toMatchObject({ ...question, status: 'pending' });
  if (question !== undefined) {
    await stack.decide(question, 'approve');
  }
  await reader.until(() => reader.all('approval').some(({ status }) => status === 'approved'));
});
