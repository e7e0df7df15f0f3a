import { HoldpointError, isHoldpointError } from '../core/errors';
import { isRecord } from '../core/json';

/**
 * Turns what Fastify and Node throw while a request is read into an error of ours; what is ours, or no fault of the
 * client, stays.
 */
export function fromFastifyError(error: unknown): unknown {
  if (isHoldpointError(error) || !isRecord(error)) {
    return error;
  }
  const status = error['statusCode'];
  const isCutOff = error['code'] === 'ECONNRESET';
  if (!isCutOff && (typeof status !== 'number' || status < 400 || status >= 500)) {
    return error;
  }
  return new HoldpointError('invalid_request', 'The request could not be read to its end.', {}, { cause: error });
}
