import { type ChunkGate, createChunkGate } from '../../../src/gateway/chunk-gate';
import { seededRandom } from '../../support/seeded-random';

let gate: ChunkGate;

beforeEach(() => {
  gate = createChunkGate();
});

const chunk = (turn: number, round: number, attempt: number) => gate.passChunk({ turn, round, attempt });
const reply = (turn: number, round: number) => gate.passEntry({ type: 'model.reply', turn, round });

it('lets fragments of one attempt through, and those of the attempts, rounds and turns that follow', () => {
  const places = [
    [1, 1, 1],
    [1, 1, 1],
    [1, 1, 2],
    [1, 2, 1],
    [2, 1, 1],
    [2, 1, 4],
  ] as const;
  expect(places.map(([turn, round, attempt]) => chunk(turn, round, attempt))).toEqual(places.map(() => true));
});

it('holds back what a lower attempt says after a higher one', () => {
  expect([chunk(1, 1, 2), chunk(1, 1, 1), chunk(1, 1, 2)]).toEqual([true, false, true]);
});

it('holds back fragments of a round whose reply was shown, whatever their attempt', () => {
  chunk(1, 1, 1);
  reply(1, 1);
  expect([chunk(1, 1, 1), chunk(1, 1, 25), chunk(1, 2, 1)]).toEqual([false, false, true]);
});

it('holds back fragments of a turn whose end was shown', () => {
  gate.passEntry({ type: 'turn.ended', turn: 3 });
  expect([chunk(2, 9, 9), chunk(3, 1, 1), chunk(3, 99, 1), chunk(4, 1, 1)]).toEqual([false, false, false, true]);
});

it('is not opened again by older entries that a reader far behind is shown later', () => {
  chunk(4, 2, 3);
  reply(1, 1);
  gate.passEntry({ type: 'turn.ended', turn: 1 });
  expect([chunk(4, 2, 2), chunk(4, 2, 3)]).toEqual([false, true]);
});

it('does not care about other entries', () => {
  for (const type of ['session.started', 'user.message', 'turn.started', 'request.header', 'model.retry']) {
    gate.passEntry({ type, turn: 1, round: 1 });
  }
  expect(chunk(1, 1, 1)).toBe(true);
});

it('keeps the order in whatever order fragments and replies arrive', () => {
  const random = seededRandom(5);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  for (let run = 0; run < 300; run += 1) {
    gate = createChunkGate();
    const replied = new Set<string>();
    let highest = 0;
    for (let step = 0; step < 60; step += 1) {
      const [turn, round, attempt] = [upTo(3), upTo(3), upTo(3)];
      const rank = (turn * 10 + round) * 10 + attempt;
      if (random() < 0.2) {
        reply(turn, round);
        replied.add(`${turn}.${round}`);
      } else if (chunk(turn, round, attempt)) {
        expect(replied.has(`${turn}.${round}`)).toBe(false);
        expect(rank).toBeGreaterThanOrEqual(highest);
        highest = rank;
      }
    }
  }
});
