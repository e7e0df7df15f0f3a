import type { SessionLog } from './session-log';

/** Between two looks at the clock. */
const TICK_MS = 500;
/** What a look counts at most; the rest was spent asleep. Ticks of a busy process are late, but not this late. */
const LONGEST_TICK_MS = 1_500;

/** Counts the active time of one activity attempt. */
export interface ActiveWatch {
  /** Milliseconds counted since the start, a whole number, without those the log spent waiting in an outage. */
  elapsedMs(): number;
  /** Calls `callback` once when the process was awake for `durationMs` more. Returns a function that takes it back. */
  after(durationMs: number, callback: () => void): () => void;
  /** Lets go of everything; what waits is not called. */
  stop(): void;
}

/**
 * Starts a watch that stands still while the process does: a laptop that sleeps through the night or a frozen container
 * uses up none of a turn's active time. An event loop that was blocked for seconds looks the same, and is counted short.
 */
export function startActiveWatch(log: Pick<SessionLog, 'waitedMs'>): ActiveWatch {
  const waitedBeforeMs = log.waitedMs();
  let awakeMs = 0;
  let lookedMs = performance.now();
  const look = (): number => {
    const nowMs = performance.now();
    awakeMs += Math.min(nowMs - lookedMs, LONGEST_TICK_MS);
    lookedMs = nowMs;
    return awakeMs;
  };
  const ticker = setInterval(look, TICK_MS);
  const timers = new Set<() => void>();
  return {
    elapsedMs: () => Math.max(0, Math.round(look() - (log.waitedMs() - waitedBeforeMs))),
    after: (durationMs, callback) => {
      const dueMs = look() + durationMs;
      let timer: NodeJS.Timeout | undefined;
      const cancel = (): void => {
        clearTimeout(timer);
        timers.delete(cancel);
      };
      const check = (): void => {
        const leftMs = dueMs - look();
        if (leftMs > 0) {
          timer = setTimeout(check, Math.min(leftMs, TICK_MS));
        } else {
          timers.delete(cancel);
          callback();
        }
      };
      timers.add(cancel);
      timer = setTimeout(check, Math.min(Math.max(0, durationMs), TICK_MS));
      return cancel;
    },
    stop: () => {
      clearInterval(ticker);
      for (const cancel of timers) {
        cancel();
      }
    },
  };
}
