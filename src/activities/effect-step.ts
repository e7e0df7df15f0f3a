import { Context } from '@temporalio/activity';
import type { LogPosition } from '../core/entries';
import { errorCodeOf } from '../core/errors';
import type { ActivityDependencies } from './activity-dependencies';
import { activitySessionOf } from './activity-session';
import { activityFailure } from './failure-mapping';
import { withHeartbeat } from './heartbeat';
import { isBlockingCode, noteBlocked } from './note-blocked';
import { isOutage } from './retry-outage';
import { openSessionLog, type SessionLog } from './session-log';

/**
 * An activity that fails for an outage this often gives up, and the workflow begins a new one after a pause: attempts are
 * limited and counted for workers that were lost, and an outage is none.
 */
const OUTAGE_ATTEMPTS = 10;

/** Runs one attempt of an ordinary activity: with heartbeats, and the session's log at hand. */
export function runEffect<Result>(
  dependencies: ActivityDependencies,
  last: LogPosition | undefined,
  body: (log: SessionLog) => Promise<Result>,
): Promise<Result> {
  const { heartbeatMs, storePatienceMs } = dependencies.timing;
  return withHeartbeat(heartbeatMs, async () => {
    const session = activitySessionOf(Context.current().info);
    try {
      return await body(openSessionLog(dependencies, session, last, () => storePatienceMs));
    } catch (error) {
      const code = errorCodeOf(error);
      if (isBlockingCode(code)) {
        await noteBlocked(dependencies, session.key, code);
      }
      const { attempt } = Context.current().info;
      throw isOutage(error) && attempt >= OUTAGE_ATTEMPTS ? activityFailure(code, { nonRetryable: true }) : error;
    }
  });
}
