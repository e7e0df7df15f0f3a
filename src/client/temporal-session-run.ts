import { type SessionKey, workflowIdOf } from '../core/ids';
import type { AgentSessionInput } from '../workflows/agent-session-api';

/** A session, with its agent where a signal may start a new run for it. */
export interface SessionTarget extends SessionKey {
  readonly agent: string;
}

/** Options that start a run for a session on a task queue, unless one runs already. */
export function temporalSessionRun({ tenant, sessionId, agent }: SessionTarget, taskQueue: string) {
  // Mode and limits are in the store, where whoever opens the session finds them.
  const input: AgentSessionInput = { v: 1, tenant, sessionId, agent };
  return {
    workflowId: workflowIdOf({ tenant, sessionId }),
    taskQueue,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  } as const;
}
