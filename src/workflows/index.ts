/** Everything the workflow bundle exports; safe in the workflow sandbox. */
export { agentSession } from './agent-session-workflow';
