import { errorCodeOf } from '../core/errors';
import type { SessionKey } from '../core/ids';
import type { InboxKind } from '../core/ports/gateway-store';
import type { GatewayContext } from './gateway-context';

/**
 * Hands a stored message or decision to Temporal and notes that it was accepted. Never throws: what is not delivered
 * now stays in the inbox, where the sweep of a worker finds it. Returns whether Temporal accepted it.
 */
export async function deliver(
  { store, logger }: GatewayContext,
  key: SessionKey,
  row: { readonly kind: InboxKind; readonly id: string },
  send: () => Promise<void>,
): Promise<boolean> {
  const fields = { tenant: key.tenant, sessionId: key.sessionId, kind: row.kind, id: row.id };
  try {
    await send();
  } catch (error) {
    logger.warn('stored, but not delivered; it will be later', { ...fields, code: errorCodeOf(error), error });
    return false;
  }
  try {
    await store.markDelivered(key, row.kind, row.id);
  } catch (error) {
    logger.warn('delivered, but not marked; it will be delivered again', {
      ...fields,
      code: errorCodeOf(error),
      error,
    });
  }
  return true;
}
