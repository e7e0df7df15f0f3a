import { isId } from '../core/ids';
import type { SessionPlace } from '../core/ports/gateway-store';
import { cursorOf, isTimeText, placeOf } from './cursor';

/** A place among the sessions as clients carry it. */
export function sessionCursor({ createdAt, sessionId }: SessionPlace): string {
  return cursorOf([createdAt, sessionId]);
}

/** The place a cursor names. Throws HoldpointError `invalid_request` for any text `sessionCursor` can't have made. */
export function placeOfSessionCursor(cursor: string): SessionPlace {
  return placeOf(
    cursor,
    ([createdAt, sessionId]) => (isTimeText(createdAt) && isId(sessionId) ? { createdAt, sessionId } : undefined),
    sessionCursor,
  );
}
