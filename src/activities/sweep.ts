import { SECOND_MS } from '../core/durations';
import { errorCodeOf } from '../core/errors';
import type { SessionKey } from '../core/ids';
import type { Logger } from '../core/ports/logger';
import type { SweepStore, UndeliveredRow, UnfinishedSession } from '../core/ports/sweep-store';
import { isStoppedByOperator } from '../core/run-description';
import { pause } from './pause';

/** The sessions' executions in Temporal, as the sweep handles them. Each throws `temporal_unavailable` in an outage. */
export interface SessionExecutions {
  /** Signals a stored message or decision; a session without a running workflow gets a new run. */
  deliver(row: UndeliveredRow): Promise<void>;
  /** Status of the newest execution, see `RunDescription`; undefined when Temporal knows none. */
  statusOf(key: SessionKey): Promise<string | undefined>;
  /** Starts a run for a session that has none. Harmless when one runs. */
  start(session: UnfinishedSession): Promise<void>;
}

/** How often the sweep looks, and from which age on something counts as left behind. */
export interface SweepTiming {
  /** Default 10,000. */
  readonly everyMs: number;
  /** Default 30,000. */
  readonly olderThanMs: number;
}

export const DEFAULT_SWEEP_TIMING: SweepTiming = { everyMs: 10 * SECOND_MS, olderThanMs: 30 * SECOND_MS };

interface SweepDependencies {
  readonly store: SweepStore;
  readonly executions: SessionExecutions;
  readonly logger: Logger;
  /** Names this worker; two workers never have the same one. */
  readonly holder: string;
}

const LEASE_NAME = 'sweep';
/** A holder that died is replaced after this many missed passes. */
const LEASE_PASSES = 3;
const PAGE_ROWS = 100;
/** Failures in a row after which the trouble is not with a single session. */
const MAX_FAILURES_IN_A_ROW = 3;
/** Executions that carry on by themselves. */
const ALIVE: readonly string[] = ['RUNNING', 'PAUSED', 'CONTINUED_AS_NEW'];

/**
 * Delivers what was stored while Temporal could not be asked, and revives sessions whose workflow is gone, until
 * `signal` fires. One worker at a time does it. Doubles are harmless: ids decide. Never rejects.
 */
export async function runSweep(
  dependencies: SweepDependencies,
  timing: SweepTiming,
  signal: AbortSignal,
): Promise<void> {
  let after: SessionKey | undefined;
  while (!signal.aborted) {
    try {
      after = await sweepOnce(dependencies, timing, signal, after);
    } catch (error) {
      dependencies.logger.warn('The sweep was cut short.', { code: errorCodeOf(error) });
    }
    await pause(timing.everyMs, signal);
  }
}

/**
 * One pass; does nothing while another worker holds the lease. Sessions that wait for a human are unfinished too, so a
 * pass looks at one page of them, behind `after`, and returns where the next one goes on (undefined: from the start).
 * Rejects when the store or Temporal can't be asked; a single row that can't be handled stops nothing.
 */
export async function sweepOnce(
  dependencies: SweepDependencies,
  { everyMs, olderThanMs }: SweepTiming,
  signal: AbortSignal,
  after?: SessionKey,
): Promise<SessionKey | undefined> {
  const { store, holder } = dependencies;
  if (!(await store.takeLease(LEASE_NAME, holder, LEASE_PASSES * everyMs))) {
    return undefined;
  }
  const undelivered = await store.listUndelivered(olderThanMs, PAGE_ROWS);
  await forEachRow(dependencies, undelivered, signal, (row) => deliver(dependencies, row));
  const page = await store.listUnfinished(olderThanMs, PAGE_ROWS, after);
  await forEachRow(dependencies, page, signal, (session) => revive(dependencies, session));
  const last = page.at(-1);
  return page.length < PAGE_ROWS || last === undefined ? undefined : keyOf(last);
}

async function forEachRow<Row extends SessionKey>(
  { logger }: SweepDependencies,
  rows: readonly Row[],
  signal: AbortSignal,
  handle: (row: Row) => Promise<void>,
): Promise<void> {
  let failuresInARow = 0;
  for (const row of rows) {
    if (signal.aborted) {
      return;
    }
    try {
      await handle(row);
      failuresInARow = 0;
    } catch (error) {
      failuresInARow += 1;
      logger.warn('The sweep could not handle a session.', { ...keyOf(row), code: errorCodeOf(error) });
      if (failuresInARow >= MAX_FAILURES_IN_A_ROW) {
        throw error;
      }
    }
  }
}

async function deliver({ store, executions, logger }: SweepDependencies, row: UndeliveredRow): Promise<void> {
  await executions.deliver(row);
  await store.markDelivered(keyOf(row), row.kind, row.id);
  logger.info('Delivered what had been left behind.', { ...keyOf(row), kind: row.kind, id: row.id });
}

async function revive({ store, executions, logger }: SweepDependencies, session: UnfinishedSession): Promise<void> {
  const key = keyOf(session);
  const status = await executions.statusOf(key);
  if (status !== undefined && ALIVE.includes(status)) {
    return;
  }
  if (status !== undefined && isStoppedByOperator(status)) {
    await store.markStopped(key);
    logger.info('A session was stopped by an operator and waits for its next message.', { ...key });
    return;
  }
  await executions.start(session);
  logger.info('Revived a session whose workflow was gone.', { ...key, status: status ?? 'unknown' });
}

function keyOf({ tenant, sessionId }: SessionKey): SessionKey {
  return { tenant, sessionId };
}
