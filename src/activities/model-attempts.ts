import type { ApplicationFailure } from '@temporalio/activity';
import { type Entry, type EntryOf, isEntry } from '../core/entries';
import { retryKey } from '../core/entry-keys';
import { ERROR_CODES, errorCodeOf, HoldpointError, isHoldpointError } from '../core/errors';
import { MODEL_ATTEMPTS } from '../core/limits';
import { activityFailure } from './failure-mapping';
import { errorText, redactDetail } from './redact-detail';
import type { SessionLog } from './session-log';

/** Attempts that may be lost with their worker, without a record of their own, before a turn fails. */
const LOST_ATTEMPTS = 20;

/** Where an attempt stands in its round. */
export interface AttemptPlace {
  readonly turn: number;
  readonly round: number;
  /** Temporal's number of the attempt, from 1. */
  readonly attempt: number;
}

/** The failed attempts of a round that left a record. */
export function retriesOf(
  entries: readonly Entry[],
  { turn, round }: Pick<AttemptPlace, 'turn' | 'round'>,
): readonly EntryOf<'model.retry'>[] {
  return entries.filter(
    (entry): entry is EntryOf<'model.retry'> =>
      isEntry(entry, 'model.retry') && entry.turn === turn && entry.round === round,
  );
}

/** Throws HoldpointError `worker_lost` when too many attempts of a round ended without saying anything. */
export function checkLostAttempts(retries: readonly EntryOf<'model.retry'>[], { attempt }: AttemptPlace): void {
  const lost = attempt - 1 - retries.filter(({ data }) => data.attempt < attempt).length;
  if (lost >= LOST_ATTEMPTS) {
    throw new HoldpointError('worker_lost', `${lost} attempts of a model call were lost with their worker.`);
  }
}

/** Active milliseconds that the failed attempts of a round have used. */
export function activeMsOf(retries: readonly EntryOf<'model.retry'>[]): number {
  return retries.reduce((sum, { data }) => sum + data.activeMs, 0);
}

/**
 * Records a failed attempt and returns the failure to throw. Classes of errors that a repeat can't help end the turn at
 * once; so does the fifth recorded failure of the others.
 */
export async function failAttempt(
  log: SessionLog,
  place: AttemptPlace,
  retries: readonly EntryOf<'model.retry'>[],
  error: unknown,
  activeMs: number,
): Promise<ApplicationFailure> {
  const { turn, round, attempt } = place;
  const code = errorCodeOf(error);
  await log.append({
    entries: [
      {
        key: retryKey(turn, round, attempt),
        type: 'model.retry',
        turn,
        round,
        data: { attempt, code, detail: redactDetail(errorText(error)), activeMs },
      },
    ],
  });
  const recorded = retries.filter(({ data }) => data.attempt !== attempt).length + 1;
  const { retryAfterMs, requestId } = isHoldpointError(error) ? error.details : {};
  return activityFailure(code, {
    nonRetryable: !ERROR_CODES[code].retryable || recorded >= MODEL_ATTEMPTS,
    ...(typeof retryAfterMs === 'number' ? { nextRetryDelayMs: retryAfterMs } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  });
}
