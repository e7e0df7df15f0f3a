import { errorCodeOf } from '../core/errors';
import { pause } from './pause';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Repeats `operation` while the store or Temporal can't be asked, for at most `patienceMs` or until `signal` fires; then
 * the last error is thrown. Every other error is thrown at once. `operation` must be safe to repeat.
 */
export async function retryOutage<Result>(
  operation: () => Promise<Result>,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<Result> {
  const startMs = performance.now();
  for (let failures = 0; ; failures += 1) {
    try {
      return await operation();
    } catch (error) {
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.9 + Math.random() * 0.2);
      const isOver = performance.now() - startMs + pauseMs > patienceMs || signal?.aborted === true;
      if (isOver || !isOutage(error)) {
        throw error;
      }
      await pause(pauseMs, signal);
    }
  }
}

/** True for errors that say only that the store or Temporal can't be asked now. */
export function isOutage(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === 'store_unavailable' || code === 'temporal_unavailable';
}
