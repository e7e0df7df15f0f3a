import { Command } from 'commander';
import { approvalsCommand } from './commands/approvals';
import { chatCommand } from './commands/chat';
import { completionCommand } from './commands/completion';
import { devCommand } from './commands/dev-command';
import { doctorCommand } from './commands/doctor';
import { initCommand } from './commands/init';
import { sessionsCommand } from './commands/sessions';
import { stopCommand } from './commands/stop-command';

/**
 * The `holdpoint` command line. Each command sets the exit code of the process; what was not understood is thrown as a
 * CommanderError, after it was told on standard error.
 */
export function createProgram(): Command {
  const program = new Command('holdpoint')
    .description('A durable agent runner on Temporal whose writes wait for a decision.')
    .addCommand(initCommand())
    .addCommand(devCommand())
    .addCommand(stopCommand())
    .addCommand(doctorCommand())
    .addCommand(chatCommand())
    .addCommand(sessionsCommand())
    .addCommand(approvalsCommand());
  program.addCommand(completionCommand(program));
  for (const command of [program, ...allCommands(program)]) {
    command.exitOverride().showHelpAfterError(`See: ${pathOf(command)} --help`);
  }
  return program;
}

/** Every command below one, at any depth. */
function allCommands(parent: Command): readonly Command[] {
  return parent.commands.flatMap((command) => [command, ...allCommands(command)]);
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
