import type { LogPosition } from '../core/entries';
import { HoldpointError, isHoldpointError } from '../core/errors';
import type { RunFence, WorkerStore } from '../core/ports/worker-store';
import type { RunDescription } from '../core/run-description';
import type { ActivitySession } from './activity-session';
import type { TemporalPort } from './temporal-port';

/** What the fence needs to know of the world. */
export interface FenceDependencies {
  readonly store: Pick<WorkerStore, 'claimRun'>;
  readonly temporal: Pick<TemporalPort, 'describeRun'>;
}

/**
 * Runs a writing operation of the store for the run of an activity.
 *
 * When the store names another run as its writer, the operation has written nothing; outside of any transaction Temporal
 * is asked which run is current, and only the current one takes over, by compare-and-set. Throws HoldpointError `fenced`
 * when another run is current or took over meanwhile, `temporal_unavailable` without an answer.
 *
 * @param onTakeOver Called with the run that was replaced ('' = none), before it is replaced.
 */
export async function withRunFence<Result>(
  dependencies: FenceDependencies,
  session: ActivitySession,
  last: LogPosition | undefined,
  operation: (fence: RunFence) => Promise<Result>,
  onTakeOver?: (replacedRunId: string, ours: RunDescription) => Promise<void>,
): Promise<Result> {
  const fence: RunFence = { ...session.key, runId: session.runId, ...(last === undefined ? {} : { last }) };
  try {
    return await operation(fence);
  } catch (error) {
    if (!isHoldpointError(error) || error.code !== 'run_mismatch') {
      throw error;
    }
    await takeOver(dependencies, session, String(error.details['storedRunId'] ?? ''), onTakeOver);
  }
  try {
    return await operation(fence);
  } catch (error) {
    throw isHoldpointError(error) && error.code === 'run_mismatch' ? fenced(session) : error;
  }
}

async function takeOver(
  { store, temporal }: FenceDependencies,
  session: ActivitySession,
  storedRunId: string,
  onTakeOver: ((replacedRunId: string, ours: RunDescription) => Promise<void>) | undefined,
): Promise<void> {
  const current = await temporal.describeRun(session.workflowId);
  if (current?.runId !== session.runId) {
    throw fenced(session);
  }
  await onTakeOver?.(storedRunId, current);
  if (!(await store.claimRun(session.key, storedRunId, session.runId))) {
    throw fenced(session);
  }
}

function fenced(session: ActivitySession): HoldpointError {
  return new HoldpointError('fenced', `Run ${session.runId} may no longer write to session ${session.workflowId}.`);
}
