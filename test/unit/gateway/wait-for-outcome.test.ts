import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
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

  it('lets 30 waits share one signal, without a warning of the process, and keeps no listener of theirs', () => {
    // In a process of its own: jest hides its own process's warnings from tests.
    const path = resolve(__dirname, '../../../src/gateway/wait-for-outcome.ts');
    const script = `
      const { waitForOutcome } = require(${JSON.stringify(path)});
      const { getEventListeners } = require('node:events');
      const { signal } = new AbortController();
      const waits = Array.from({ length: 30 }, () => waitForOutcome(async () => undefined, { timeoutMs: 100, signal }));
      setImmediate(() => console.log(getEventListeners(signal, 'abort').length));
      Promise.all(waits).then(() => console.log(getEventListeners(signal, 'abort').length));
    `;
    const ended = spawnSync(process.execPath, ['--require', 'tsx/cjs', '--eval', script], { encoding: 'utf8' });
    expect({ status: ended.status, stderr: ended.stderr, stdout: ended.stdout }).toEqual({
      status: 0,
      stderr: '',
      stdout: '30\n0\n',
    });
  });

  it('throws what reading throws', async () => {
    const failing = () => Promise.reject(new Error('down'));
    await expect(waitForOutcome(failing, { timeoutMs: 1_000, signal: never })).rejects.toThrow('down');
  });
});
