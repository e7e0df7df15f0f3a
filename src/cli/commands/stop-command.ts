import { Command } from 'commander';
import { parseConfig } from '../../config';
import { stopHoldpoint } from '../../dev/stop-holdpoint';
import { findProject } from '../../worker/find-project';
import { reportFailure } from '../report-failure';

/** `holdpoint stop`: stops what runs on the state folder, and what a kill left behind. */
export function stopCommand(): Command {
  return new Command('stop')
    .description('stop holdpoint on this state folder, and the Temporal server that a killed one left behind')
    .option('--config <file>', 'the configuration whose state folder it is; default: the nearest one upward from here')
    .action(async ({ config }: { readonly config?: string }) => {
      try {
        const { folder } = findProject(config);
        const { homeFolder } = parseConfig(process.env, process.cwd(), folder);
        const { holdpoint, servers } = await stopHoldpoint(homeFolder, say);
        if (servers.length > 0) {
          say(`ended the Temporal server that was left behind (process ${servers.join(', ')})`);
        } else {
          say(holdpoint === undefined ? 'nothing runs here' : 'stopped');
        }
      } catch (error) {
        reportFailure(error);
      }
    });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
