import { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes';
import { followTurn } from '../follow-turn';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { printTurnEnd } from '../print-turn-end';
import { readMessage } from '../read-message';
import { foreignLine } from '../text/foreign-text';

interface StartOptions extends GatewayOptions {
  readonly id?: string;
  readonly wait?: true;
}

/** `holdpoint sessions start`: begins a session with its first message. */
export function sessionsStartCommand(): Command {
  return withGatewayOptions(new Command('start'))
    .description('start a session with its first message; prints its id')
    .argument('<agent>', 'name of the agent')
    .argument('<message...>', 'the message; - reads it from standard input')
    .option('--id <session>', 'id of the session, so that a repeat starts no second one')
    .option('--wait', 'wait until the turn is over, and print what the agent says instead of the id')
    .action((agent: string, words: readonly string[], options: StartOptions) =>
      onGateway(options, async (context) => {
        const { client, output, isJson, signal } = context;
        const id = options.id === undefined ? {} : { sessionId: options.id };
        const { sessionId } = await client.startSession(
          { agent, message: await readMessage(words), ...id },
          { signal },
        );
        if (options.wait) {
          output.note(`session ${foreignLine(sessionId)}`);
          return printTurnEnd(context, await followTurn(context, sessionId, { turn: 1 }, 0));
        }
        if (isJson) {
          output.json({ sessionId });
        } else {
          output.print(foreignLine(sessionId));
        }
        return EXIT_CODES.done;
      }),
    );
}
