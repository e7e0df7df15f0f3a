import { Connection } from '@temporalio/client';

/** Temporal's number for the queue of workflow tasks. */
const WORKFLOW_TASK_QUEUE = 1;

/** The task queue of one project on a Temporal server. */
export interface TaskQueuePlace {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/**
 * Identities of workers other than `own` that polled a task queue in the last minutes. Two projects that share a queue
 * take each other's sessions, each with a store the other one can't see. Throws what the Temporal client throws.
 */
export async function findForeignWorkers(place: TaskQueuePlace, own: string): Promise<readonly string[]> {
  const connection = await Connection.connect({ address: place.address });
  try {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: place.namespace,
      taskQueue: { name: place.taskQueue },
      taskQueueType: WORKFLOW_TASK_QUEUE,
    });
    return (pollers ?? []).flatMap(({ identity }) => (identity && identity !== own ? [identity] : []));
  } finally {
    await connection.close();
  }
}
