import { Command } from 'commander';
import { runDev } from '../../dev/run-dev';
import { reportFailure } from '../report-failure';

/** `holdpoint dev`: everything on this machine, in the foreground, until Ctrl-C. */
export function devCommand(): Command {
  return new Command('dev')
    .description('run Temporal, gateway and worker on this machine (development: loopback only, no login)')
    .action(async () => {
      try {
        await runDev(process.env);
      } catch (error) {
        reportFailure(error);
      }
      // A handle somebody forgot must not keep a stopped command alive.
      process.exit();
    });
}
