import type { Connection } from '@temporalio/client';

const REST_DEADLINE_MS = 120_000;
const PAUSE_MS = 25;

/** One run of a session's workflow, as the server measures it. */
export interface SessionRun {
  readonly runId: string;
  readonly events: number;
  readonly historyBytes: number;
  /** What it was started with: the input, and the state of the run before. */
  readonly startBytes: number;
}

/** The newest run of a workflow and those it continues, newest first. */
export async function sessionRuns(connection: Connection, workflowId: string): Promise<readonly SessionRun[]> {
  const runs: SessionRun[] = [];
  for (let runId: string | undefined = ''; runId !== undefined; ) {
    const { run, continues } = await describeRun(connection, workflowId, runId);
    runs.push(run);
    runId = continues;
  }
  return runs;
}

/**
 * Resolves when a workflow has looked at everything that came, and no task of it waits or runs. A run that continues one
 * of less than a second is held back by the server; it is not at rest before it has begun.
 */
export async function untilAtRest(connection: Connection, workflowId: string): Promise<void> {
  const endMs = Date.now() + REST_DEADLINE_MS;
  while (!(await isAtRest(connection, workflowId))) {
    if (Date.now() > endMs) {
      throw new Error(`${workflowId} does not come to rest.`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function isAtRest({ workflowService }: Connection, workflowId: string): Promise<boolean> {
  const { pendingWorkflowTask, pendingActivities } = await workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId },
  });
  if (pendingWorkflowTask || (pendingActivities ?? []).length > 0) {
    return false;
  }
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
    namespace: 'default',
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const [last] = history?.events ?? [];
  return !last?.workflowExecutionStartedEventAttributes && !last?.workflowExecutionSignaledEventAttributes;
}

async function describeRun(
  { workflowService }: Connection,
  workflowId: string,
  runId: string,
): Promise<{ readonly run: SessionRun; readonly continues: string | undefined }> {
  const described = await workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId, runId },
  });
  const info = described.workflowExecutionInfo;
  const named = { workflowId, runId: info?.execution?.runId ?? runId };
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: named,
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payloads = started?.input?.payloads ?? [];
  return {
    run: {
      runId: named.runId,
      events: Number(info?.historyLength),
      historyBytes: Number(info?.historySizeBytes),
      startBytes: payloads.reduce((sum, payload) => sum + (payload.data?.length ?? 0), 0),
    },
    continues: started?.continuedExecutionRunId || undefined,
  };
}
