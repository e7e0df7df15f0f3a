import { MINUTE_MS, SECOND_MS } from '../core/durations';

/** How event streams behave. */
export interface StreamSettings {
  /** How often a stream says that it lives, in milliseconds. Default 15,000. */
  readonly heartbeatEveryMs: number;
  /** How often the store is looked at without a hint, in milliseconds. Default 2,000. */
  readonly lookEveryMs: number;
  /** How long hints are gathered before the questions are looked at, in milliseconds. Default 100. */
  readonly gatherMs: number;
  /** A reader that has taken nothing for this long is cut, in milliseconds. Default 60,000. */
  readonly stallTimeoutMs: number;
  /** A reader with more than this unsent is behind. Default 1 MiB. */
  readonly maxUnsentBytes: number;
  /** Streams served at the same time, of both kinds together. Default 500. */
  readonly maxStreams: number;
}

export const STREAM_DEFAULTS: StreamSettings = {
  heartbeatEveryMs: 15 * SECOND_MS,
  lookEveryMs: 2 * SECOND_MS,
  gatherMs: 100,
  stallTimeoutMs: MINUTE_MS,
  maxUnsentBytes: 1_048_576,
  maxStreams: 500,
};
