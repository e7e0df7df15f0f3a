import { Command } from 'commander';
import type * as MigrationModule from '../../worker/migrate-configured-store';
import { reportFailure } from '../report-failure';

/** `holdpoint migrate`: brings the store's tables to this version. */
export function migrateCommand(): Command {
  return new Command('migrate').action(async () => {
    try {
      // Late: other commands need no database.
      const { migrateConfiguredStore } = require('../../worker/migrate-configured-store') as typeof MigrationModule;
      const kind = await migrateConfiguredStore(process.env);
      process.stdout.write(`the ${kind} store has the tables of this version\n`);
    } catch (error) {
      reportFailure(error);
    }
  });
}
