import { isId } from '../core/ids';
import type { ApprovalPlace } from '../core/ports/gateway-store';
import { cursorOf, isTimeText, placeOf } from './cursor';

/** A place among the questions as clients carry it. */
export function approvalCursor({ requestedAt, sessionId, askedSeq }: ApprovalPlace): string {
  return cursorOf([requestedAt, sessionId, askedSeq]);
}

/** The place a cursor names. Throws HoldpointError `invalid_request` for any text `approvalCursor` can't have made. */
export function placeOfCursor(cursor: string): ApprovalPlace {
  return placeOf(
    cursor,
    ([requestedAt, sessionId, askedSeq]) =>
      isTimeText(requestedAt) && isId(sessionId) && isSeq(askedSeq) ? { requestedAt, sessionId, askedSeq } : undefined,
    approvalCursor,
  );
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
