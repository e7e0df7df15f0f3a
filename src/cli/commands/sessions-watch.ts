import { Command, Option } from 'commander';
import { positionFrom } from '../number-from';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { entryLines } from '../text/entry-lines';
import { foreignLine } from '../text/foreign-text';

interface WatchOptions extends GatewayOptions {
  readonly after?: number;
}

const INDENT = '      ';

/** `holdpoint sessions watch`: the log of a session as it grows, until Ctrl-C. */
export function sessionsWatchCommand(): Command {
  return withGatewayOptions(new Command('watch'))
    .description('print the log of a session as it grows, until Ctrl-C')
    .argument('<session>', 'id of the session')
    .addOption(
      new Option('--after <position>', 'begin behind this entry; default: at the beginning').argParser(positionFrom),
    )
    .action((sessionId: string, options: WatchOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        // A gateway that is not there, or a session that is not, is told at once; later cuts are waited out.
        await client.readSession(sessionId, { signal });
        for await (const event of client.watchSession(sessionId, { after: options.after ?? 0, signal })) {
          if (isJson && event.type !== 'heartbeat') {
            output.json({ event: event.type, data: event.data });
          } else if (event.type === 'entry') {
            for (const line of entryLines(event.data, output.style)) {
              output.print(line, INDENT);
            }
          } else if (event.type === 'status' && event.data !== null) {
            output.note(`${foreignLine(event.data.text)} (round ${event.data.round} of ${event.data.maxRounds})`);
          }
        }
        return undefined;
      }),
    );
}
