import { Command } from 'commander';
import { devCommand } from './commands/dev-command';
import { stopCommand } from './commands/stop-command';

/** The `holdpoint` command line. Each command sets the exit code of the process. */
export function createProgram(): Command {
  return new Command('holdpoint')
    .description('A durable agent runner on Temporal whose writes wait for a decision.')
    .addCommand(devCommand())
    .addCommand(stopCommand());
}
