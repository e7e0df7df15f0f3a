import { Context } from '@temporalio/activity';
import type { StepRefused } from '../core/activity-contracts';
import type { LogPosition } from '../core/entries';
import { errorCodeOf } from '../core/errors';
import type { ActivityDependencies } from './activity-dependencies';
import { type ActivitySession, activitySessionOf } from './activity-session';
import { isBlockingCode, noteBlocked } from './note-blocked';
import { openSessionLog, type SessionLog } from './session-log';

/**
 * Runs a short step of a local activity. An outage is repeated inside and then returned, since a failing local activity
 * would write an event for every attempt; so is everything that says this run and the log disagree. A log that is
 * behind, in conflict or too new is noted on the session's row. Other errors are thrown.
 */
export async function runLocalStep<Result>(
  dependencies: ActivityDependencies,
  last: LogPosition | undefined,
  step: (log: SessionLog, session: ActivitySession) => Promise<Result>,
): Promise<Result | StepRefused> {
  const session = activitySessionOf(Context.current().info);
  const deadlineMs = performance.now() + dependencies.timing.storePatienceMs;
  const patience = (): number => Math.max(0, deadlineMs - performance.now());
  try {
    return await step(openSessionLog(dependencies, session, last, patience), session);
  } catch (error) {
    const refused = refusalOf(errorCodeOf(error));
    if (refused === undefined) {
      throw error;
    }
    dependencies.logger.warn('A step of a session was refused.', { ...session.key, code: refused.code });
    if (isBlockingCode(refused.code)) {
      await noteBlocked(dependencies, session.key, refused.code);
    }
    return refused;
  }
}

function refusalOf(code: string): StepRefused | undefined {
  switch (code) {
    case 'store_unavailable':
    // Without Temporal nobody can tell which run is current; the workflow waits as it does for the store.
    case 'temporal_unavailable':
      return { v: 1, status: 'refused', code: 'store_unavailable' };
    case 'fenced':
    case 'log_behind':
    case 'log_conflict':
    case 'log_format_newer':
    case 'session_erased':
    case 'unknown_session':
    case 'invalid_start':
      return { v: 1, status: 'refused', code };
    default:
      return undefined;
  }
}
