import { Context } from '@temporalio/activity';
import { HoldpointError } from '../core/errors';

/** One execution of a workflow, between two continue-as-news. */
export interface RunDescription {
  readonly runId: string;
  readonly status: string;
  /** The first run of the chain it belongs to; runs of a reset share it. */
  readonly firstRunId: string | undefined;
}

/** The questions activities ask Temporal itself. */
export interface TemporalPort {
  /**
   * The newest run of a workflow id, or the named one; undefined when Temporal knows none.
   * Throws HoldpointError `temporal_unavailable` without an answer.
   */
  describeRun(workflowId: string, runId?: string): Promise<RunDescription | undefined>;
  /**
   * Whether an activity attempt still counts: `current`; `cancelled` = it does, but its cancel was asked for (or it was
   * paused or reset); `gone` = another attempt took over, or the activity is over; `no_answer` = ask again.
   * Never rejects.
   */
  askAboutAttempt(taskToken: Uint8Array): Promise<AttemptAnswer>;
}

export type AttemptAnswer = 'current' | 'cancelled' | 'gone' | 'no_answer';

/** Asks with the client of the activity that runs; call it inside an activity only. */
export function createActivityTemporalPort(): TemporalPort {
  return {
    describeRun,
    askAboutAttempt,
  };
}

async function describeRun(workflowId: string, runId?: string): Promise<RunDescription | undefined> {
  try {
    const description = await Context.current().client.workflow.getHandle(workflowId, runId).describe();
    const firstRunId = description.raw.workflowExecutionInfo?.firstRunId;
    return {
      runId: description.runId,
      status: description.status.name,
      firstRunId: firstRunId === '' || firstRunId === null ? undefined : firstRunId,
    };
  } catch (error) {
    if (nameOf(error) === 'WorkflowNotFoundError') {
      return undefined;
    }
    throw new HoldpointError(
      'temporal_unavailable',
      `Temporal did not describe the run of ${workflowId}.`,
      {},
      {
        cause: error,
      },
    );
  }
}

async function askAboutAttempt(taskToken: Uint8Array): Promise<AttemptAnswer> {
  try {
    await Context.current().client.activity.heartbeat(taskToken);
    return 'current';
  } catch (error) {
    switch (nameOf(error)) {
      case 'ActivityNotFoundError':
        return 'gone';
      case 'ActivityCancelledError':
      case 'ActivityPausedError':
      case 'ActivityResetError':
        return 'cancelled';
      default:
        return 'no_answer';
    }
  }
}

/** Compared by name: the classes live in a package this room does not import, and may be loaded twice. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
