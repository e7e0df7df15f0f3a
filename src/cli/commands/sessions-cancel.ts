import { Command, Option } from 'commander';
import { countFrom } from '../number-from';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';

interface CancelOptions extends GatewayOptions {
  readonly turn?: number;
  readonly keepQueue?: true;
}

/** `holdpoint sessions cancel`: ends the open turn. */
export function sessionsCancelCommand(): Command {
  return withGatewayOptions(new Command('cancel'))
    .description('cancel the open turn: what runs is awaited, what waits for a decision is withdrawn')
    .argument('<session>', 'id of the session')
    .addOption(new Option('--turn <turn>', 'only when this turn is the open one').argParser(countFrom))
    .option('--keep-queue', 'keep messages that wait for their turn; by default they are dropped')
    .action((sessionId: string, { turn, keepQueue, ...options }: CancelOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        const cancel = { ...(turn === undefined ? {} : { turn }), ...(keepQueue ? { keepQueue } : {}) };
        const accepted = await client.cancelTurn(sessionId, cancel, { signal });
        if (isJson) {
          output.json(accepted);
        } else {
          output.print(
            accepted.turn === null
              ? `No turn is open in ${foreignLine(sessionId)}.`
              : `Turn ${accepted.turn} of ${foreignLine(sessionId)} is being cancelled.`,
          );
        }
        return undefined;
      }),
    );
}
