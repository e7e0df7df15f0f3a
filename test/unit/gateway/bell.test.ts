import { Bell } from '../../../src/gateway/bell';

/** Longer than any test may take. */
const LONG_MS = 600_000;

it('ends a wait when it rings', async () => {
  const bell = new Bell();
  const waiting = bell.wait(LONG_MS);
  bell.ring();
  await waiting;
});

it('remembers a ring that nobody waited for, so that what comes in the middle of a look leads to another look', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(LONG_MS);
});

it('takes any number of rings for one', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(LONG_MS);
  let isOver = false;
  const waiting = bell.wait(LONG_MS).then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  bell.ring();
  await waiting;
});

it('ends a wait by itself when nothing rings', async () => {
  await new Bell().wait(1);
});
