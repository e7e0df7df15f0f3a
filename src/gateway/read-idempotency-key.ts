import type { FastifyRequest } from 'fastify';
import { HoldpointError } from '../core/errors';

const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, or undefined. Throws `invalid_request` for one that can't be used. */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) {
    return undefined;
  }
  if (typeof key !== 'string' || !KEY_PATTERN.test(key)) {
    throw new HoldpointError('invalid_request', 'Idempotency-Key: must be 1 to 255 printable ASCII characters');
  }
  return key;
}
