import { CancelledFailure } from '@temporalio/common';
import { type BodyLimits, runBody } from '../../../src/activities/run-body';

function limits(changes: Partial<BodyLimits> = {}): BodyLimits & {
  readonly cancel: (reason: string) => void;
  readonly stop: () => void;
} {
  const cancelled = new AbortController();
  const stopping = new AbortController();
  return {
    effect: 'read',
    timeoutMs: 1_000,
    abandonMs: 10,
    cancelled: cancelled.signal,
    stopping: stopping.signal,
    cancel: (reason) => cancelled.abort(new CancelledFailure(reason)),
    stop: () => stopping.abort(),
    ...changes,
  };
}

/** A body that ends as soon as its signal fires. */
const obedient = (signal: AbortSignal) =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new Error('stopped'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) {
      stop();
    }
  });

test('a body that throws before its first await is a body that threw', async () => {
  const { outcome, stoppedBy } = await runBody(() => {
    throw new Error('at once');
  }, limits());

  expect([outcome.status, stoppedBy]).toEqual(['threw', undefined]);
});

test.each(['read', 'write'] as const)('the own timeout stops a %s', async (effect) => {
  const { outcome, stoppedBy } = await runBody(obedient, limits({ effect, timeoutMs: 20 }));

  expect([outcome.status, stoppedBy]).toEqual(['threw', 'timeout']);
});

test.each(['read', 'write'] as const)('a cancelled turn stops a %s', async (effect) => {
  const stopped = limits({ effect });
  const run = runBody(obedient, stopped);
  stopped.cancel('CANCELLED');

  expect(await run).toMatchObject({ outcome: { status: 'threw' }, stoppedBy: 'cancelled' });
});

test.each(['WORKER_SHUTDOWN', 'TIMED_OUT', 'NOT_FOUND', 'PAUSED', 'RESET'])(
  '%s stops a read and no write',
  async (reason) => {
    const read = limits();
    const write = limits({ effect: 'write' });
    const bodies = [
      runBody(obedient, read),
      runBody(async (signal) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return signal.aborted;
      }, write),
    ];
    read.cancel(reason);
    write.cancel(reason);
    write.stop();

    expect(await Promise.all(bodies)).toMatchObject([
      { outcome: { status: 'threw' }, stoppedBy: 'stopped' },
      { outcome: { status: 'returned', value: false }, stoppedBy: undefined },
    ]);
  },
);

test('a write that ignores a cancel is waited for until its timeout', async () => {
  const stopped = limits({ effect: 'write', timeoutMs: 60 });
  let finish = (_value: string): void => undefined;
  const run = runBody(
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
    stopped,
  );
  stopped.cancel('CANCELLED');
  await new Promise((resolve) => setTimeout(resolve, 30));
  finish('done after all');

  expect(await run).toMatchObject({ outcome: { status: 'returned', value: 'done after all' }, stoppedBy: 'cancelled' });
});

test('what an abandoned body says later can still be heard', async () => {
  let finish = (_value: string): void => undefined;
  const { outcome } = await runBody(
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
    limits({ timeoutMs: 10 }),
  );
  finish('late');

  expect(outcome.status).toBe('abandoned');
  expect(outcome.status === 'abandoned' && (await outcome.late)).toEqual({ status: 'returned', value: 'late' });
});
