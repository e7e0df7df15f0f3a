import { Command } from 'commander';
import { HoldpointError } from '../../core/errors';
import { type ChatStart, runChat } from '../chat/run-chat';
import { type CommandContext, type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';

interface ChatOptions extends GatewayOptions {
  readonly session?: string;
}

/** `holdpoint chat`: talk with an agent and decide on its questions in one place. */
export function chatCommand(): Command {
  return withGatewayOptions(new Command('chat'))
    .argument('[agent]', 'name of the agent; default: the only one there is')
    .option('--session <session>', 'go on with this session')
    .action((agent: string | undefined, options: ChatOptions) =>
      onGateway(options, async (context) => {
        if (context.isJson || !process.stdin.isTTY || !context.output.isTerminal) {
          const text = 'chat needs a terminal; elsewhere there is `holdpoint sessions start AGENT MESSAGE --wait`';
          throw new HoldpointError('invalid_request', text);
        }
        return runChat(context, await startOf(context, agent, options.session));
      }),
    );
}

async function startOf(
  { client, signal }: CommandContext,
  agent: string | undefined,
  sessionId: string | undefined,
): Promise<ChatStart> {
  if (sessionId !== undefined) {
    return { sessionId };
  }
  if (agent !== undefined) {
    return { agent };
  }
  const { agents } = await client.listAgents({ signal });
  const [only] = agents;
  if (only === undefined || agents.length > 1) {
    const names = agents.map(({ name }) => foreignLine(name)).join(', ') || 'none yet';
    throw new HoldpointError('invalid_request', `name the agent to talk with; there are: ${names}`);
  }
  return { agent: only.name };
}
