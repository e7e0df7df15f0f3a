const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long it is until something happens: `3 h 12 min`, `45 s`. Never negative. */
export function durationText(durationMs: number): string {
  const leftMs = Math.max(0, durationMs);
  if (leftMs < MINUTE_MS) {
    return `${Math.ceil(leftMs / 1000)} s`;
  }
  if (leftMs < HOUR_MS) {
    return `${Math.floor(leftMs / MINUTE_MS)} min`;
  }
  if (leftMs < 2 * DAY_MS) {
    return `${Math.floor(leftMs / HOUR_MS)} h ${Math.floor((leftMs % HOUR_MS) / MINUTE_MS)} min`;
  }
  return `${Math.floor(leftMs / DAY_MS)} days ${Math.floor((leftMs % DAY_MS) / HOUR_MS)} h`;
}

/**
 * A moment in this device's time with its distance from UTC: `14:06 (+02:00)`, with the date when it is not today.
 * @param nowMs The server's time.
 */
export function momentText(iso: string, nowMs: number): string {
  const moment = new Date(iso);
  const clock = `${two(moment.getHours())}:${two(moment.getMinutes())} (${offsetText(moment)})`;
  return isSameDay(moment, new Date(nowMs)) ? clock : `${dayText(moment)} ${clock}`;
}

/** The same moment in UTC, in whole seconds: `2026-12-01 18:43:12 UTC`. */
export function utcText(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** `14:07:12`, in this device's time. */
export function clockText(atMs: number): string {
  const moment = new Date(atMs);
  return `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
}

function dayText(moment: Date): string {
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

function isSameDay(left: Date, right: Date): boolean {
  return dayText(left) === dayText(right);
}

function offsetText(moment: Date): string {
  const minutes = -moment.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
