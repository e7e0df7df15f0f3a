import { HoldpointError } from '../../core/errors';

/** Somebody else holds what a transaction needs. Nothing was written; the same transaction may be tried again at once. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}

/** The error for a database that can't be asked. The driver's own error is kept for local logs. */
export function storeUnavailable(reason: string, cause?: unknown): HoldpointError {
  return new HoldpointError('store_unavailable', `The store can't be asked: ${reason}.`, { reason }, { cause });
}

/** The error for a row that is there already with another content. */
export function rowConflict(cause: unknown): HoldpointError {
  return new HoldpointError('log_conflict', 'The store holds another row under the same key.', {}, { cause });
}

/** The `code` of a driver's error; '' when it has none. */
export function driverCode(error: unknown): string {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
