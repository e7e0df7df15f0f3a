import { Command } from 'commander';
import { createWorker } from '../../worker/create-worker';
import { reportFailure } from '../report-failure';
import { runService } from '../run-service';

/** `holdpoint worker`: runs the project's agents beside a Temporal server and a store of one's own. */
export function workerCommand(): Command {
  return new Command('worker')
    .option('--config <file>', 'the configuration; default: the nearest holdpoint.config.{ts,js,mjs} upward from here')
    .action(async ({ config }: { readonly config?: string }) => {
      try {
        await runService(async () => {
          const worker = await createWorker(config === undefined ? {} : { configPath: config });
          return { finished: worker.finished, stop: () => worker.shutdown() };
        });
      } catch (error) {
        reportFailure(error);
      }
      // A handle that a project's code holds must not keep a stopped worker alive.
      process.exit();
    });
}
