import { Command } from 'commander';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';

/** `holdpoint sessions close`: ends a session once nothing is queued. */
export function sessionsCloseCommand(): Command {
  return withGatewayOptions(new Command('close'))
    .description('close a session once its queued messages have run; a later message opens it again')
    .argument('<session>', 'id of the session')
    .action((sessionId: string, options: GatewayOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        const accepted = await client.closeSession(sessionId, { signal });
        if (isJson) {
          output.json(accepted);
        } else {
          const what =
            accepted.status === 'idle' || accepted.status === 'closed'
              ? ''
              : `; it is ${accepted.status} and ends that first`;
          output.print(`Session ${foreignLine(sessionId)} closes${what}.`);
        }
        return undefined;
      }),
    );
}
