import { Command, Option } from 'commander';
import { MESSAGE_MODES, type MessageMode } from '../../core/sessions';
import { EXIT_CODES } from '../exit-codes';
import { followTurn } from '../follow-turn';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { printTurnEnd } from '../print-turn-end';
import { readMessage } from '../read-message';
import { foreignLine } from '../text/foreign-text';

interface SendOptions extends GatewayOptions {
  readonly mode: MessageMode;
  readonly wait?: true;
}

/** `holdpoint sessions send`: one more message to a session. */
export function sessionsSendCommand(): Command {
  return withGatewayOptions(new Command('send'))
    .description('send a message to a session; prints the id of the message')
    .argument('<session>', 'id of the session')
    .argument('<message...>', 'the message; - reads it from standard input')
    .addOption(
      new Option(
        '--mode <mode>',
        'a turn of its own, the next round of the open turn, or the next round whenever it comes',
      )
        .choices(MESSAGE_MODES)
        .default('followup'),
    )
    .option('--wait', 'wait until its turn is over, and print what the agent says instead of the id')
    .action((sessionId: string, words: readonly string[], options: SendOptions) =>
      onGateway(options, async (context) => {
        const { client, output, isJson, signal } = context;
        const content = await readMessage(words);
        const { lastSeq } = await client.readSession(sessionId, { signal });
        const { messageId } = await client.sendMessage(sessionId, { content, mode: options.mode }, { signal });
        if (options.wait) {
          return printTurnEnd(context, await followTurn(context, sessionId, { messageId }, lastSeq));
        }
        if (isJson) {
          output.json({ messageId });
        } else {
          output.print(foreignLine(messageId));
        }
        return EXIT_CODES.done;
      }),
    );
}
