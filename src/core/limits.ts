import { DAY_MS, MINUTE_MS, SECOND_MS } from './durations';
import { isRecord } from './json';

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

/** Longest duration a limit may have; beyond it dates stop being dates. */
const MAX_DURATION_MS = 3_650 * DAY_MS;

/** The smallest and the largest whole number a limit may be. */
export function limitRange(limit: keyof Limits): readonly [smallest: number, largest: number] {
  // A cap of 0 bytes on one result means no cap; every other limit of 0 would only make an agent that can't work.
  const smallest = limit === 'resultBytes' ? 0 : 1;
  return [smallest, /Ms(PerTurn)?$/.test(limit) ? MAX_DURATION_MS : Number.MAX_SAFE_INTEGER];
}

/** True for limits a session may ask for: known names, whole numbers in range. Whether they narrow is another question. */
export function isSessionLimits(value: unknown): value is Partial<Limits> {
  return isRecord(value) && Object.entries(value).every(([limit, number]) => isLimitName(limit) && fits(limit, number));
}

/** Names of limits that a session asks for and that are wider than those of its agent. */
export function wideningLimits(agent: Limits, asked: Partial<Limits>): readonly (keyof Limits)[] {
  return limitNames(asked).filter((limit) => isWider(limit, asked[limit] ?? agent[limit], agent[limit]));
}

/** The limits of an agent, narrowed to what its session asks for. What the session asks for never widens one. */
export function narrowedLimits(agent: Limits, asked: Partial<Limits> = {}): Limits {
  const narrower = limitNames(asked)
    .filter((limit) => !isWider(limit, asked[limit] ?? agent[limit], agent[limit]))
    .map((limit) => [limit, asked[limit]]);
  return { ...agent, ...Object.fromEntries(narrower) };
}

function limitNames(asked: Partial<Limits>): readonly (keyof Limits)[] {
  return Object.keys(asked).filter(isLimitName);
}

function isLimitName(name: string): name is keyof Limits {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}

function fits(limit: keyof Limits, value: unknown): boolean {
  const [smallest, largest] = limitRange(limit);
  return Number.isSafeInteger(value) && Number(value) >= smallest && Number(value) <= largest;
}

/** 0 bytes for a result is the widest there is. */
function isWider(limit: keyof Limits, asked: number, agent: number): boolean {
  const width = (value: number): number => (limit === 'resultBytes' && value === 0 ? Number.POSITIVE_INFINITY : value);
  return width(asked) > width(agent);
}

/** Calls of one reply that are looked at; the rest is answered `skipped`. */
export const MAX_CALLS_PER_REPLY = 64;
/** Tool calls that may run at the same time within a turn. */
export const PARALLEL_POOL = 10;
/** Failed model attempts (those that said so) after which a turn fails. */
export const MODEL_ATTEMPTS = 5;
