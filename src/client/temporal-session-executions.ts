import type { Client } from '@temporalio/client';
import { HoldpointError } from '../core/errors';
import { type SessionKey, workflowIdOf } from '../core/ids';
import type { UndeliveredRow, UnfinishedSession } from '../core/ports/sweep-store';
import {
  AGENT_SESSION_WORKFLOW,
  DECIDE_SIGNAL,
  type DecidePayload,
  MESSAGE_SIGNAL,
  type MessagePayload,
} from '../workflows/agent-session-api';
import { temporalRunDescription } from './temporal-run-description';
import { temporalSessionRun } from './temporal-session-run';

/** The executions of sessions, through a client that somebody else owns. */
export interface TemporalSessionExecutions {
  /** Signals a stored row by reference; a session without a running workflow gets a new run. */
  deliver(row: UndeliveredRow): Promise<void>;
  /** Status of the newest execution, see `RunDescription`; undefined when Temporal knows none. */
  statusOf(key: SessionKey): Promise<string | undefined>;
  /** Starts a run for a session, unless one runs. */
  start(session: UnfinishedSession): Promise<void>;
}

/** Each operation throws HoldpointError `temporal_unavailable` when the server can't be asked or answers with an error. */
export function createTemporalSessionExecutions(client: Client, taskQueue: string): TemporalSessionExecutions {
  return {
    deliver: (row) =>
      asked(async () => {
        const [signal, payload] = signalOf(row);
        await client.workflow.signalWithStart(AGENT_SESSION_WORKFLOW, {
          ...temporalSessionRun(row, taskQueue),
          signal,
          signalArgs: [payload],
        });
      }),
    statusOf: (key) => asked(async () => (await temporalRunDescription(client, workflowIdOf(key)))?.status),
    start: (session) =>
      asked(async () => {
        await client.workflow.start(AGENT_SESSION_WORKFLOW, temporalSessionRun(session, taskQueue));
      }),
  };
}

/** What is stored is only pointed at; the session reads it from the store. */
function signalOf({ kind, id, approvalId }: UndeliveredRow): readonly [string, MessagePayload | DecidePayload] {
  return kind === 'message'
    ? [MESSAGE_SIGNAL, { messageId: id, ref: id }]
    : [DECIDE_SIGNAL, { approvalId: approvalId ?? '', decisionId: id, decision: 'stored', ref: id }];
}

async function asked<Answer>(question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    throw new HoldpointError(
      'temporal_unavailable',
      'Temporal could not be asked about a session.',
      {},
      {
        cause: error,
      },
    );
  }
}
