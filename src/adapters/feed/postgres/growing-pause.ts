import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../core/durations';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5 * SECOND_MS;

/**
 * Waits before the next try to connect: 100 ms after the first failure, then twice as long each time, at most 5 s. Each
 * pause is up to a half shorter at random, so that all processes of a cluster do not come back at the same moment.
 * Resolves early when `signal` fires.
 */
export async function growingPause(failures: number, signal: AbortSignal): Promise<void> {
  const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1));
  await sleep(longestMs * (1 - Math.random() / 2), undefined, { signal }).catch(() => undefined);
}
