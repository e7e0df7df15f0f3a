import { Command } from 'commander';
import { runDev } from '../../dev/run-dev';
import { reportFailure } from '../report-failure';

/** `holdpoint dev`: everything on this machine, in the foreground, until Ctrl-C. */
export function devCommand(): Command {
  return new Command('dev')
    .description('run Temporal, gateway and worker on this machine (development: loopback only, no login)')
    .option('--config <file>', 'the configuration; default: the nearest holdpoint.config.{ts,js,mjs} upward from here')
    .action(async ({ config }: { readonly config?: string }) => {
      try {
        await runDev(process.env, config);
      } catch (error) {
        reportFailure(error);
      }
      // A handle somebody forgot must not keep a stopped command alive.
      process.exit();
    });
}
