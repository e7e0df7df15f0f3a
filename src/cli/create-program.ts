import { Command } from 'commander';
import { devCommand } from './commands/dev-command';
import { gatewayCommand } from './commands/gateway-command';
import { migrateCommand } from './commands/migrate-command';
import { stopCommand } from './commands/stop-command';
import { workerCommand } from './commands/worker-command';

/** The `holdpoint` command line. Each command sets the exit code of the process. */
export function createProgram(): Command {
  return new Command('holdpoint')
    .description('A durable agent runner on Temporal whose writes wait for a decision.')
    .addCommand(devCommand())
    .addCommand(stopCommand())
    .addCommand(workerCommand())
    .addCommand(gatewayCommand())
    .addCommand(migrateCommand());
}
