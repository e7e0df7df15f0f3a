import { HoldpointError } from '../core/errors';

const TIME = /^[0-9TZ:.+-]{1,40}$/;

/** A place in a list as clients carry it: text they hand back and need not understand. */
export function cursorOf(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * The place a cursor names. `read` makes it of the parts, or returns undefined when they are of another list.
 * Throws HoldpointError `invalid_request` for any text `cursorOf` can't have made of that place.
 */
export function placeOf<Place>(
  cursor: string,
  read: (parts: readonly unknown[]) => Place | undefined,
  write: (place: Place) => string,
): Place {
  const place = read(partsOf(cursor));
  if (place === undefined || write(place) !== cursor) {
    throw new HoldpointError('invalid_request', 'after: must be the nextAfter of an earlier page');
  }
  return place;
}

/** True for text that may be a time, and that any store takes. */
export function isTimeText(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value);
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
