import type { AgentSessionInput } from '../workflows/agent-session-api';

/**
 * The input of a session that a workflow of one's own starts as a child, with `<tenant>/<sessionId>` as its workflow id.
 * `mode` is `task` unless said otherwise: one turn, whose `TaskResult` the child returns. What was announced needs no
 * message here, and may repeat mode, limits and metadata only as they were announced. Safe in workflow code.
 */
export function agentSessionInput(session: Omit<AgentSessionInput, 'v'>): AgentSessionInput {
  return { v: 1, mode: 'task', ...session };
}
