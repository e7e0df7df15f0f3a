import { workspaceTools } from '../adapters/tools/workspace/workspace-tools';
import { MINUTE_MS } from '../core/durations';
import { type AgentDefinition, defineAgent } from '../definitions/define-agent';

const SYSTEM_PROMPT = [
  'You work on the files of one folder for a person.',
  'Use the tools to look before you answer. Paths are relative to the folder.',
  'Change a part of a file with edit_file; write_file is for new files and new contents.',
  'Every write waits until a person approves it. When a write is refused, say so and do not ask again.',
].join('\n');

/** What the built-in agent is made for. */
export interface WorkspaceAgentOptions {
  /** The folder the agent works on, absolute. */
  readonly root: string;
  /** Folders inside it that the agent may not touch, absolute: the state folder of holdpoint itself. */
  readonly protectedFolders: readonly string[];
  /** Time a question stays open, in milliseconds. Default: `DEFAULT_LIMITS.approvalExpiryMs`. */
  readonly approvalExpiryMs: number | undefined;
}

/** The agent that runs where a project defines none. Its limits are wider, since the defaults stop a real model at once. */
export function workspaceAgent(options: WorkspaceAgentOptions): AgentDefinition {
  return defineAgent({
    name: 'workspace',
    system: SYSTEM_PROMPT,
    tools: workspaceTools({ root: options.root, protectedFolders: options.protectedFolders }),
    limits: {
      roundsPerTurn: 40,
      activeMsPerTurn: 10 * MINUTE_MS,
      ...(options.approvalExpiryMs === undefined ? {} : { approvalExpiryMs: options.approvalExpiryMs }),
    },
  });
}
