/** How a function of somebody else's ended. `timed_out` and `stopped`: it may still run, and nobody waits for it. */
export type BoundedOutcome<Value> =
  | { readonly status: 'returned'; readonly value: Value }
  | { readonly status: 'threw'; readonly error: unknown }
  | { readonly status: 'timed_out' }
  | { readonly status: 'stopped' };

/**
 * Runs `body` for at most `limitMs`. Its signal fires at the limit, and when `stop` fires. Never rejects.
 * A body that blocks the event loop can't be stopped by anybody.
 */
export function runBounded<Value>(
  body: (signal: AbortSignal) => Promise<Value>,
  limitMs: number,
  stop?: AbortSignal,
): Promise<BoundedOutcome<Value>> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const end = (outcome: BoundedOutcome<Value>): void => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', onStop);
      resolve(outcome);
    };
    const onStop = (): void => {
      controller.abort(stop?.reason);
      end({ status: 'stopped' });
    };
    const timer = setTimeout(() => {
      controller.abort(new Error('The time limit was reached.'));
      end({ status: 'timed_out' });
    }, limitMs);
    if (stop?.aborted === true) {
      onStop();
      return;
    }
    stop?.addEventListener('abort', onStop, { once: true });
    // The detour over a promise makes a synchronous throw a rejection.
    Promise.resolve()
      .then(() => body(controller.signal))
      .then(
        (value) => end({ status: 'returned', value }),
        (error: unknown) => end({ status: 'threw', error }),
      );
  });
}
