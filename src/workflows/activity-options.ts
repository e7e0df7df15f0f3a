import type { RetryPolicy } from '@temporalio/common';
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import { MINUTE_MS, SECOND_MS } from '../core/durations';

/**
 * Retries belong to the server, by error class. 25 attempts are for lost workers; an activity itself counts the
 * attempts that failed in earnest and stops far earlier. An oversized result would be as large the next time.
 */
const RETRY: RetryPolicy = {
  initialInterval: 500,
  backoffCoefficient: 2,
  maximumInterval: 10 * SECOND_MS,
  maximumAttempts: 25,
  nonRetryableErrorTypes: ['PayloadsTooLarge'],
};

/** Without a heartbeat a lost task is noticed only after its whole time limit, and a cancel never arrives. */
const HEARTBEAT_MS = 15 * SECOND_MS;

/** Local activities are short; when one can't reach the store it says so in its result after 30 s at the latest. */
export const LOCAL_OPTIONS: LocalActivityOptions = {
  startToCloseTimeout: MINUTE_MS,
  localRetryThreshold: MINUTE_MS,
  retry: { initialInterval: 200, maximumInterval: 5 * SECOND_MS, maximumAttempts: 5 },
};

/**
 * A turn that is cancelled waits until what has begun says how it ended: a model call keeps what was said, a tool its true
 * result. Without this the SDK goes on at once.
 */
const CANCELLATION = 'WAIT_CANCELLATION_COMPLETED';

/** One model round. `limitMs` is what the turn has left; the margin is for the store around the call. */
export function callModelOptions(limitMs: number): ActivityOptions {
  return {
    startToCloseTimeout: limitMs + MINUTE_MS,
    heartbeatTimeout: HEARTBEAT_MS,
    retry: RETRY,
    cancellationType: CANCELLATION,
  };
}

/** One tool call: its checks, its body and a verification have the tool's time limit each. */
export function runCallOptions(timeoutMs: number, summary: string): ActivityOptions {
  return {
    startToCloseTimeout: 4 * timeoutMs + MINUTE_MS,
    heartbeatTimeout: HEARTBEAT_MS,
    retry: RETRY,
    cancellationType: CANCELLATION,
    summary,
  };
}

/** Finding out what became of a call that started: the lease has to be over, then the tool is asked. */
export const SETTLE_CALL_OPTIONS: ActivityOptions = {
  startToCloseTimeout: 15 * MINUTE_MS,
  heartbeatTimeout: HEARTBEAT_MS,
  retry: RETRY,
};
