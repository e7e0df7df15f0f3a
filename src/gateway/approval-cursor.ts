import { HoldpointError } from '../core/errors';
import { isId } from '../core/ids';
import type { ApprovalPlace } from '../core/ports/gateway-store';

const TIME = /^[0-9TZ:.+-]{1,40}$/;

/** A place among the questions as clients carry it: text they hand back and need not understand. */
export function approvalCursor({ requestedAt, sessionId, askedSeq }: ApprovalPlace): string {
  return Buffer.from(JSON.stringify([requestedAt, sessionId, askedSeq])).toString('base64url');
}

/** The place a cursor names. Throws HoldpointError `invalid_request` for any text `approvalCursor` can't have made. */
export function placeOfCursor(cursor: string): ApprovalPlace {
  const [requestedAt, sessionId, askedSeq] = partsOf(cursor);
  if (typeof requestedAt === 'string' && TIME.test(requestedAt) && isId(sessionId) && isSeq(askedSeq)) {
    const place = { requestedAt, sessionId, askedSeq };
    if (approvalCursor(place) === cursor) {
      return place;
    }
  }
  throw new HoldpointError('invalid_request', 'after: must be the nextAfter of an earlier page');
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
