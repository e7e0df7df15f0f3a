import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Asks until there is an answer, with pauses that grow from 10 to 250 ms. Resolves with undefined when there is none
 * after `timeoutMs`, or when `signal` fires, which any number of waits may share. What `read` throws is thrown.
 */
export async function waitForOutcome<Outcome>(
  read: () => Promise<Outcome | undefined>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Outcome | undefined> {
  // Each wait listens while it pauses and lets go after it: many listeners are many waits, not a leak.
  setMaxListeners(0, signal);
  const deadlineMs = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const outcome = await read();
    const leftMs = deadlineMs - performance.now();
    if (outcome !== undefined || leftMs <= 0 || signal.aborted) {
      return outcome;
    }
    // An aborted pause only ends early: one last look follows.
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => undefined);
  }
}
