/** Durations in milliseconds, so that limits read as `5 * MINUTE_MS`. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
