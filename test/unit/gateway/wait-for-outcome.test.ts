import { waitForOutcome } from '../../../src/gateway/wait-for-outcome';

const never = new AbortController().signal;

/** Answers undefined so many times, then with the outcome; counts how often it was asked. */
function readAfter(times: number) {
  let asked = 0;
  return {
    read: async () => {
      asked += 1;
      return asked > times ? 'taken' : undefined;
    },
    asked: () => asked,
  };
}

describe('waitForOutcome', () => {
  it('returns an outcome that is there at once without a pause', async () => {
    const { read, asked } = readAfter(0);
    expect(await waitForOutcome(read, { timeoutMs: 0, signal: never })).toBe('taken');
    expect(asked()).toBe(1);
  });

  it('asks again until there is an outcome', async () => {
    const { read, asked } = readAfter(3);
    expect(await waitForOutcome(read, { timeoutMs: 5_000, signal: never })).toBe('taken');
    expect(asked()).toBe(4);
  });

  it('gives up after the time it was given, with longer and longer pauses', async () => {
    const { read, asked } = readAfter(Number.POSITIVE_INFINITY);
    expect(await waitForOutcome(read, { timeoutMs: 300, signal: never })).toBeUndefined();
    expect(asked()).toBeGreaterThan(3);
    expect(asked()).toBeLessThan(10);
  });

  it('asks once when it may not wait', async () => {
    const { read, asked } = readAfter(Number.POSITIVE_INFINITY);
    expect(await waitForOutcome(read, { timeoutMs: 0, signal: never })).toBeUndefined();
    expect(asked()).toBe(1);
  });

  it('looks once more and ends when the signal fires', async () => {
    const closing = new AbortController();
    let asked = 0;
    const read = async () => {
      asked += 1;
      if (asked === 2) {
        closing.abort();
      }
      return asked > 2 ? 'taken' : undefined;
    };
    expect(await waitForOutcome(read, { timeoutMs: 60_000, signal: closing.signal })).toBeUndefined();
    expect(asked).toBe(2);
  });

  it('ends a pause under way when the signal fires', async () => {
    const closing = new AbortController();
    const { read } = readAfter(Number.POSITIVE_INFINITY);
    const waiting = waitForOutcome(read, { timeoutMs: 60_000, signal: closing.signal });
    setImmediate(() => closing.abort());
    expect(await waiting).toBeUndefined();
  });

  it('throws what reading throws', async () => {
    const failing = () => Promise.reject(new Error('down'));
    await expect(waitForOutcome(failing, { timeoutMs: 1_000, signal: never })).rejects.toThrow('down');
  });
});
