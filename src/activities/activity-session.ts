import { ApplicationFailure, type Info } from '@temporalio/activity';
import { type SessionKey, sessionKeyOf } from '../core/ids';

/** The session and the run an activity acts for. They come from Temporal, never from a payload. */
export interface ActivitySession {
  readonly key: SessionKey;
  readonly workflowId: string;
  readonly runId: string;
}

/** Reads them from the activity's own workflow. Throws a non-retryable `invalid_start` for a workflow of another kind. */
export function activitySessionOf(info: Info): ActivitySession {
  const execution = info.workflowExecution;
  const key = execution === undefined ? undefined : sessionKeyOf(execution.workflowId);
  if (execution === undefined || key === undefined) {
    throw ApplicationFailure.nonRetryable('invalid_start', 'invalid_start');
  }
  return { key, workflowId: execution.workflowId, runId: execution.runId };
}
