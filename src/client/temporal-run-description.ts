import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type RunDescription, statusOfTerminated } from '../core/run-description';

/** `HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT` of Temporal's API. */
const CLOSE_EVENT = 2;

/**
 * The newest run of a workflow id, or the named one; undefined when Temporal knows none. How a run ended is read from
 * its last event, since a status alone does not say who ended it. Throws what the client throws.
 */
export async function temporalRunDescription(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<RunDescription | undefined> {
  try {
    const { raw, runId: found, status } = await client.workflow.getHandle(workflowId, runId).describe();
    const firstRunId = raw.workflowExecutionInfo?.firstRunId || undefined;
    return { runId: found, firstRunId, ...(await endingOf(client, workflowId, found, status.name)) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) {
      return undefined;
    }
    throw error;
  }
}

async function endingOf(
  client: Client,
  workflowId: string,
  runId: string,
  status: string,
): Promise<Pick<RunDescription, 'status' | 'continuedAs'>> {
  if (status !== 'TERMINATED' && status !== 'CONTINUED_AS_NEW') {
    return { status };
  }
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    historyEventFilterType: CLOSE_EVENT,
  });
  const closing = history?.events?.at(-1);
  const terminated = closing?.workflowExecutionTerminatedEventAttributes;
  if (terminated) {
    return { status: statusOfTerminated({ reason: terminated.reason ?? '', identity: terminated.identity ?? '' }) };
  }
  const continuedAs = closing?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  return { status, ...(continuedAs ? { continuedAs } : {}) };
}
