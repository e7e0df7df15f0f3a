import { Command } from 'commander';
import { reportFailure } from '../report-failure';

/** What is loaded late, since other commands need no database. */
interface MigrationModule {
  readonly migrateConfiguredStore: (environment: NodeJS.ProcessEnv) => Promise<string>;
}

/** `holdpoint migrate`: brings the store's tables to this version. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description("bring the store's tables to this version (needs HOLDPOINT_STORE)")
    .action(async () => {
      try {
        const { migrateConfiguredStore } = require('../../worker/migrate-configured-store') as MigrationModule;
        const kind = await migrateConfiguredStore(process.env);
        process.stdout.write(`the ${kind} store has the tables of this version\n`);
      } catch (error) {
        reportFailure(error);
      }
    });
}
