import { DAY_MS, MINUTE_MS, SECOND_MS } from './durations';

/** Limits of a turn and of what it may wait for. An agent sets them; a session may only narrow them. */
export interface Limits {
  /** Model calls with tools per turn; one more without tools follows when they are used up. Default 5. */
  readonly roundsPerTurn: number;
  /** Time that activities of a turn work, in milliseconds; waiting costs nothing. Default 60,000. */
  readonly activeMsPerTurn: number;
  /** Longest model call, in milliseconds. Default 30,000. */
  readonly modelCallMs: number;
  /** Tool calls per turn. Default 15. */
  readonly callsPerTurn: number;
  /** Characters of results a turn may read; more than this ends it. Default 300,000. */
  readonly resultCharactersPerTurn: number;
  /** Longest result shown to the model, in UTF-8 bytes with its marker; 0 = off. Default 8,000. */
  readonly resultBytes: number;
  /** Time a question stays open, in milliseconds. Default 24 hours. */
  readonly approvalExpiryMs: number;
  /** Time an approval may be used after it was given, in milliseconds. Default 24 hours. */
  readonly grantUseMs: number;
  /** Idle time after which a session closes its workflow, in milliseconds. Default 7 days. */
  readonly idleMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  roundsPerTurn: 5,
  activeMsPerTurn: MINUTE_MS,
  modelCallMs: 30 * SECOND_MS,
  callsPerTurn: 15,
  resultCharactersPerTurn: 300_000,
  resultBytes: 8_000,
  approvalExpiryMs: DAY_MS,
  grantUseMs: DAY_MS,
  idleMs: 7 * DAY_MS,
};

/** Calls of one reply that are looked at; the rest is answered `skipped`. */
export const MAX_CALLS_PER_REPLY = 64;
/** Tool calls that may run at the same time within a turn. */
export const PARALLEL_POOL = 10;
/** Failed model attempts (those that said so) after which a turn fails. */
export const MODEL_ATTEMPTS = 5;
