import { type ErrorDetails, HoldpointError } from '../core/errors';
import { failureReason } from './failure-reason';

/** The `download_failed` error for anything that went wrong while fetching; its message is one line. */
export function downloadFailed(error: unknown, details: ErrorDetails): HoldpointError {
  return new HoldpointError('download_failed', failureReason(error), details, { cause: error });
}
