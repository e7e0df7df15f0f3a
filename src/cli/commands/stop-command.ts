import { Command } from 'commander';
import { parseConfig } from '../../config';
import { reportFailure } from '../report-failure';

/** `holdpoint stop`: stops what runs on the state folder, and what a kill left behind. */
export function stopCommand(): Command {
  return new Command('stop')
    .option('--config <file>', 'the configuration whose state folder it is; default: the nearest one upward from here')
    .action(async ({ config }: { readonly config?: string }) => {
      try {
        // Loaded here, since the other commands need nothing of it.
        const { findProject } = require('../../worker/find-project') as typeof import('../../worker/find-project');
        const { stopHoldpoint } = require('../../dev/stop-holdpoint') as typeof import('../../dev/stop-holdpoint');
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
