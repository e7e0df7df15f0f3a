import { Command } from 'commander';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';

interface RepairOptions extends GatewayOptions {
  readonly reason: string;
  readonly force?: true;
}

/** `holdpoint sessions repair`: has a blocked session go on from the store as it is. */
export function sessionsRepairCommand(): Command {
  return withGatewayOptions(new Command('repair'))
    .description('have a blocked session go on from the store as it is (for operators; see `sessions explain` first)')
    .argument('<session>', 'id of the session')
    .requiredOption('--reason <word>', "one word for the logs, for example a ticket's number")
    .option('--force', 'also a session that is not blocked')
    .action((sessionId: string, { reason, force, ...options }: RepairOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        const repaired = await client.repairSession(sessionId, { reason, ...(force ? { force } : {}) }, { signal });
        if (isJson) {
          output.json(repaired);
        } else {
          const was =
            repaired.blockedCode === null ? 'it was not blocked' : `it was blocked by ${repaired.blockedCode}`;
          output.print(`Session ${foreignLine(sessionId)} goes on from its log; ${was}.`);
        }
        return undefined;
      }),
    );
}
