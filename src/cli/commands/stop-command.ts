import { Command } from 'commander';
import { parseConfig } from '../../config';
import { stopLeftovers } from '../../dev/stop-leftovers';
import { reportFailure } from '../report-failure';

/** `holdpoint stop`: ends what a killed `holdpoint dev` left behind in the state folder. */
export function stopCommand(): Command {
  return new Command('stop')
    .description('end the Temporal server that a killed `holdpoint dev` left behind')
    .action(async () => {
      try {
        const { homeFolder } = parseConfig(process.env);
        const pids = await stopLeftovers(homeFolder);
        process.stdout.write(
          pids.length === 0 ? 'nothing was left behind\n' : `ended the Temporal server (process ${pids.join(', ')})\n`,
        );
      } catch (error) {
        reportFailure(error);
      }
    });
}
