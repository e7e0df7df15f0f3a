import { Command } from 'commander';
import { reportFailure } from '../report-failure';

/** `holdpoint dev`: everything on this machine, in the foreground, until Ctrl-C. */
export function devCommand(): Command {
  return new Command('dev')
    .option('--config <file>', 'the configuration; default: the nearest holdpoint.config.{ts,js,mjs} upward from here')
    .action(async ({ config }: { readonly config?: string }) => {
      try {
        // Loaded here, since the other commands need nothing of it.
        const { runDev } = require('../../dev/run-dev') as typeof import('../../dev/run-dev');
        await runDev(process.env, config);
      } catch (error) {
        reportFailure(error);
      }
      // A handle somebody forgot must not keep a stopped command alive.
      process.exit();
    });
}
