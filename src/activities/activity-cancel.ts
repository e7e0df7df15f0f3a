import { CancelledFailure, Context } from '@temporalio/activity';

/**
 * True when the workflow itself asked to cancel this activity. A worker that stops, a timeout, a pause and a reset abort
 * the same signal; they only mean that another attempt follows.
 */
export function isTurnCancelled(): boolean {
  const { cancellationSignal } = Context.current();
  return isTurnCancel(cancellationSignal.aborted ? cancellationSignal.reason : undefined);
}

/** The same for the reason of a signal. */
export function isTurnCancel(reason: unknown): boolean {
  return reason instanceof CancelledFailure && reason.message === 'CANCELLED';
}
