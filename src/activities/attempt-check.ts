import { isTurnCancelled } from './activity-cancel';
import type { ActivityDependencies } from './activity-dependencies';
import { pause } from './pause';
import type { SessionLog } from './session-log';

/** A body starts only this soon after Temporal was asked, so that the answer still holds. */
const ANSWER_HOLDS_MS = 1_000;
/** What has to be left of a lease after the tool's whole time limit. */
const LEASE_MARGIN_MS = 2_000;
const ASK_AGAIN_MS = 200;

/** May the body of a write start now? `start`: at once, without waiting for anything else. */
export type AttemptVerdict =
  | { readonly status: 'start' }
  /** Another attempt has taken over, or nobody waits for this one any more. */
  | { readonly status: 'gone' }
  /** The worker stops, or Temporal has given the attempt up. */
  | { readonly status: 'stopped' }
  /** The turn is being cancelled. */
  | { readonly status: 'cancelled' }
  /** Too little of the lease is left: begin again with a new one. */
  | { readonly status: 'too_late' };

/**
 * Asks Temporal whether this attempt is still the current one, and asks again until it has an answer that is fresh or
 * the lease is too short. An attempt whose event loop was blocked for long learns here that another one took over; time
 * is counted from the moment the question was sent, since its answer may have waited unread.
 */
export async function checkAttempt(
  { store, temporal }: Pick<ActivityDependencies, 'store' | 'temporal'>,
  log: SessionLog,
  attempt: {
    readonly taskToken: Uint8Array;
    readonly leaseUntilMs: number;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<AttemptVerdict> {
  for (;;) {
    if (attempt.signal.aborted) {
      return { status: isTurnCancelled() ? 'cancelled' : 'stopped' };
    }
    const askedMs = performance.now();
    const answer = await temporal.askAboutAttempt(attempt.taskToken);
    if (answer === 'gone' || answer === 'cancelled') {
      return { status: answer };
    }
    const storeNowMs = await log.read(() => store.clockMs());
    if (storeNowMs + attempt.timeoutMs + LEASE_MARGIN_MS > attempt.leaseUntilMs) {
      return { status: 'too_late' };
    }
    if (answer === 'current' && performance.now() - askedMs <= ANSWER_HOLDS_MS) {
      return { status: 'start' };
    }
    await pause(ASK_AGAIN_MS, attempt.signal);
  }
}
