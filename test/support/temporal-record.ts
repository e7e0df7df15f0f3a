import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { HistoryEvent } = temporal.api.history.v1;
const { EventType } = temporal.api.enums.v1;
const { WorkflowExecutionInfo } = temporal.api.workflow.v1;
const { DescribeWorkflowExecutionResponse } = temporal.api.workflowservice.v1;

/** Some bytes that Temporal keeps, and where. */
export interface KeptBytes {
  /** Run, and event or kind of record. */
  readonly place: string;
  readonly bytes: Uint8Array;
}

/** What Temporal keeps of one run: its events, and what a look at it and the list of executions show. */
interface RunRecord {
  readonly runId: string;
  readonly kept: readonly KeptBytes[];
}

/**
 * Everything that Temporal's API shows of a workflow id: every event of every run, memo, search attributes, what is
 * pending with its heartbeats and failures. Each record as the server sends it, and each of its payloads by itself.
 */
export async function temporalRecord(connection: Connection, workflowId: string): Promise<readonly RunRecord[]> {
  const { executions } = await connection.workflowService.listWorkflowExecutions({
    namespace: 'default',
    query: `WorkflowId = "${workflowId}"`,
  });
  const records: RunRecord[] = [];
  for (const info of executions ?? []) {
    const runId = info.execution?.runId ?? '';
    const listed = recordOf(`${runId} in the list`, info, WorkflowExecutionInfo.encode(info).finish());
    const shown = await describedRun(connection, workflowId, runId);
    records.push({ runId, kept: [...listed, ...shown, ...(await eventsOf(connection, workflowId, runId))] });
  }
  return records;
}

/** What a look at a run shows at this moment: memo, search attributes, pending activities. */
export async function describedRun(
  { workflowService }: Connection,
  workflowId: string,
  runId = '',
): Promise<readonly KeptBytes[]> {
  const described = await workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId, runId },
  });
  return recordOf(`${runId} described`, described, DescribeWorkflowExecutionResponse.encode(described).finish());
}

async function eventsOf(
  { workflowService }: Connection,
  workflowId: string,
  runId: string,
): Promise<readonly KeptBytes[]> {
  const kept: KeptBytes[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.getWorkflowExecutionHistory({
      namespace: 'default',
      execution: { workflowId, runId },
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) {
      const place = `${runId} ${EventType[event.eventType ?? 0]} ${event.eventId}`;
      kept.push(...recordOf(place, event, HistoryEvent.encode(event).finish()));
    }
    nextPageToken = page.nextPageToken;
  } while ((nextPageToken?.length ?? 0) > 0);
  return kept;
}

/** A record whole, and the bytes in it one by one. */
function recordOf(place: string, record: object, encoded: Uint8Array): readonly KeptBytes[] {
  return [{ place, bytes: encoded }, ...bytesIn(record).map((bytes) => ({ place: `${place}, payload`, bytes }))];
}

function bytesIn(value: unknown): readonly Uint8Array[] {
  if (value instanceof Uint8Array) {
    return [value];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(bytesIn) : [];
}
