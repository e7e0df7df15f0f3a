import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { PendingActivity, Poller, RunPicture } from '../core/run-picture';

type RawDescription = WorkflowExecutionDescription['raw'];
type RawActivity = NonNullable<RawDescription['pendingActivities']>[number];
type Timestamp = RawActivity['scheduledTime'];

/** `PENDING_ACTIVITY_STATE_SCHEDULED` of Temporal's API; every other state means that an attempt runs. */
const SCHEDULED = 1;
/** `TASK_QUEUE_TYPE_WORKFLOW`. */
const WORKFLOW_TASK_QUEUE = 1;

/** The newest run of a workflow id. Throws what the client throws. */
export async function temporalRunPicture(client: Client, workflowId: string): Promise<RunPicture> {
  const { raw, runId, status, taskQueue, startTime } = await client.workflow.getHandle(workflowId).describe();
  const task = raw.pendingWorkflowTask;
  return {
    status: status.name,
    runId,
    taskQueue,
    startedAt: startTime.toISOString(),
    historyEvents: Number(raw.workflowExecutionInfo?.historyLength ?? 0),
    activities: (raw.pendingActivities ?? []).map(pendingActivity),
    workflowTask: task ? { scheduledAt: isoOf(task.scheduledTime), attempt: task.attempt ?? 1 } : null,
  };
}

/** Who has polled a task queue for workflow tasks in the last minutes. Throws what the client throws. */
export async function temporalPollers(client: Client, taskQueue: string): Promise<readonly Poller[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_TASK_QUEUE,
  });
  return (pollers ?? []).map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    lastAccessAt: isoOf(lastAccessTime),
  }));
}

function pendingActivity(activity: RawActivity): PendingActivity {
  const { activityType, state, attempt, lastFailure } = activity;
  return {
    type: activityType?.name ?? '',
    isStarted: state !== SCHEDULED,
    attempt: attempt ?? 1,
    scheduledAt: isoOf(activity.scheduledTime),
    startedAt: isoOf(activity.lastStartedTime),
    heartbeatAt: isoOf(activity.lastHeartbeatTime),
    nextAttemptAt: isoOf(activity.nextAttemptScheduleTime),
    // Codes travel as failure types; a lost attempt has a failure of another kind.
    failedBy: lastFailure ? (lastFailure.applicationFailureInfo?.type ?? 'worker_lost') : null,
  };
}

function isoOf(time: Timestamp): string | null {
  return time ? new Date(Number(time.seconds ?? 0) * 1_000 + (time.nanos ?? 0) / 1e6).toISOString() : null;
}
