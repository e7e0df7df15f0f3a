import { Context } from '@temporalio/activity';
import { HoldpointError } from '../core/errors';
import type { RunDescription } from '../core/run-description';

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

/** Describes a run with the client it is given; undefined when Temporal knows none. Throws what the client throws. */
export type DescribeRun = (
  client: Context['client'],
  workflowId: string,
  runId?: string,
) => Promise<RunDescription | undefined>;

/** Asks with the client of the activity that runs; call it inside an activity only. */
export function createActivityTemporalPort(describe: DescribeRun): TemporalPort {
  return {
    describeRun: async (workflowId, runId) => {
      try {
        return await describe(Context.current().client, workflowId, runId);
      } catch (error) {
        throw new HoldpointError(
          'temporal_unavailable',
          `Temporal did not describe the run of ${workflowId}.`,
          {},
          {
            cause: error,
          },
        );
      }
    },
    askAboutAttempt,
  };
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
