import { isTurnCancel } from './activity-cancel';
import { pause } from './pause';

/** How the body of a tool ended. In all but the first two it may still run, and `late` tells how that ends. */
export type BodyOutcome =
  | { readonly status: 'returned'; readonly value: unknown }
  | { readonly status: 'threw'; readonly error: unknown }
  | { readonly status: 'abandoned'; readonly late: Promise<SettledBody> };

export type SettledBody = Extract<BodyOutcome, { status: 'returned' | 'threw' }>;

/** How a body ended, and what had told it to end before it did. */
export interface BodyRun {
  readonly outcome: BodyOutcome;
  /** `timeout`: its own limit · `cancelled`: the turn · `stopped`: the worker, or Temporal gave the attempt up. */
  readonly stoppedBy: 'timeout' | 'cancelled' | 'stopped' | undefined;
}

export interface BodyLimits {
  readonly effect: 'read' | 'write';
  readonly timeoutMs: number;
  /** Time to end by itself after the signal fired. */
  readonly abandonMs: number;
  /** The activity's own cancel, for whatever reason. */
  readonly cancelled: AbortSignal;
  /** The worker is about to stop. */
  readonly stopping: AbortSignal;
}

/**
 * Runs the body of a tool. Its signal fires on its own timeout and on a cancelled turn; for reads also when the worker
 * stops or Temporal has given the attempt up. A write that has begun goes on then: whether it happens must not depend on
 * a deploy. A body that ignores its signal is abandoned: a read soon after, a write at its timeout. Never rejects.
 */
export async function runBody(body: (signal: AbortSignal) => Promise<unknown>, limits: BodyLimits): Promise<BodyRun> {
  const controller = new AbortController();
  let stoppedBy: BodyRun['stoppedBy'];
  const stop = (cause: NonNullable<BodyRun['stoppedBy']>): void => {
    stoppedBy ??= cause;
    controller.abort(new Error(`The tool was stopped: ${cause}.`));
  };
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    stop('timeout');
    timeout.abort();
  }, limits.timeoutMs);
  const unwatch = watchSignals(limits, stop);
  // The detour over a promise makes a synchronous throw a rejection.
  const settled: Promise<SettledBody> = Promise.resolve()
    .then(() => body(controller.signal))
    .then(
      (value) => ({ status: 'returned', value }),
      (error: unknown) => ({ status: 'threw', error }),
    );
  try {
    const abandon = limits.effect === 'write' ? timeout.signal : controller.signal;
    const outcome = await Promise.race([settled, abandoned(abandon, limits.abandonMs)]);
    return { outcome: outcome ?? { status: 'abandoned', late: settled }, stoppedBy };
  } finally {
    clearTimeout(timer);
    unwatch();
  }
}

/** Resolves `graceMs` after a signal fired. */
async function abandoned(signal: AbortSignal, graceMs: number): Promise<undefined> {
  if (!signal.aborted) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
  }
  await pause(graceMs);
  return undefined;
}

function watchSignals(
  { effect, cancelled, stopping }: BodyLimits,
  stop: (cause: 'cancelled' | 'stopped') => void,
): () => void {
  const onCancelled = (): void => {
    if (isTurnCancel(cancelled.reason)) {
      stop('cancelled');
    } else if (effect === 'read') {
      stop('stopped');
    }
  };
  const onStopping = (): void => {
    if (effect === 'read') {
      stop('stopped');
    }
  };
  const watched = [
    [cancelled, onCancelled],
    [stopping, onStopping],
  ] as const;
  for (const [signal, listener] of watched) {
    if (signal.aborted) {
      listener();
    } else {
      signal.addEventListener('abort', listener, { once: true });
    }
  }
  return () => {
    for (const [signal, listener] of watched) {
      signal.removeEventListener('abort', listener);
    }
  };
}
