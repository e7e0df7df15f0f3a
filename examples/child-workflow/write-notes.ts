import { executeChild, proxyActivities } from '@temporalio/workflow';
import {
  AGENT_SESSION_WORKFLOW,
  type AgentTask,
  type AnnounceSession,
  agentSessionInput,
  type TaskResult,
} from 'holdpoint/temporal';

const { announceSession } = proxyActivities<{ announceSession: AnnounceSession }>({
  startToCloseTimeout: '1 minute',
});

/** What the workflow is started with. */
export interface WriteNotesInput {
  /** Names the session, so give each piece of work its own: 1 to 100 letters, digits, `_` and `-`. */
  readonly sessionId: string;
  /** What the agent is asked to do. */
  readonly request: string;
}

/** A workflow of your own: it has an agent do something, waits for it however long that takes, and goes on. */
export async function writeNotes({ sessionId, request }: WriteNotesInput): Promise<string> {
  const session = { sessionId, agent: 'workspace', limits: { roundsPerTurn: 5 }, metadata: { from: 'writeNotes' } };
  await announceSession({ ...session, message: request });
  const result: TaskResult = await executeChild<AgentTask>(AGENT_SESSION_WORKFLOW, {
    workflowId: `default/${sessionId}`,
    taskQueue: 'holdpoint',
    workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
    args: [agentSessionInput({ ...session, tenant: 'default', returnText: true })],
  });
  return `${result.outcome}: ${result.text ?? ''}`;
}
