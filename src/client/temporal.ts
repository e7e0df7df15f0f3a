/**
 * Sessions as child workflows of one's own: what a workflow and its worker need. Everything here may be imported in
 * workflow code, so nothing here reaches Node or a Temporal client.
 */
export {
  AGENT_SESSION_WORKFLOW,
  type AgentSessionInput,
  type AgentTask,
  type MessagePayload,
  type TaskResult,
} from '../workflows/agent-session-api';
export {
  type AnnounceSession,
  type AnnounceSessionInput,
  type AnnounceSessionSettings,
  createAnnounceSession,
} from './temporal-announce-session';
export { agentSessionInput } from './temporal-session-input';
