import { Command } from 'commander';
import { ownVersion } from './own-version';

/** A command of the program. Its module is loaded when it is used: help for all of them needs none of it. */
interface LazyCommand {
  readonly name: string;
  readonly description: string;
  readonly load: (program: Command) => Command;
}

const COMMANDS: readonly LazyCommand[] = [
  {
    name: 'init',
    description: 'write a configuration with one agent, a read and a write, and a test; overwrites nothing',
    load: () => (require('./commands/init') as typeof import('./commands/init')).initCommand(),
  },
  {
    name: 'dev',
    description: 'run Temporal, gateway and worker on this machine (development: loopback only, no login)',
    load: () => (require('./commands/dev-command') as typeof import('./commands/dev-command')).devCommand(),
  },
  {
    name: 'stop',
    description: 'stop holdpoint on this state folder, and the Temporal server that a killed one left behind',
    load: () => (require('./commands/stop-command') as typeof import('./commands/stop-command')).stopCommand(),
  },
  {
    name: 'worker',
    description: 'run the agents of a project (needs HOLDPOINT_STORE and a Temporal server)',
    load: () => (require('./commands/worker-command') as typeof import('./commands/worker-command')).workerCommand(),
  },
  {
    name: 'gateway',
    description: 'serve HTTP and the page (needs HOLDPOINT_STORE and a Temporal server)',
    load: () => (require('./commands/gateway-command') as typeof import('./commands/gateway-command')).gatewayCommand(),
  },
  {
    name: 'migrate',
    description: "bring the store's tables to this version (needs HOLDPOINT_STORE)",
    load: () => (require('./commands/migrate-command') as typeof import('./commands/migrate-command')).migrateCommand(),
  },
  {
    name: 'doctor',
    description: 'say what is found on this machine and what `holdpoint dev` would do about it; changes nothing',
    load: () => (require('./commands/doctor') as typeof import('./commands/doctor')).doctorCommand(),
  },
  {
    name: 'chat',
    description: 'talk with an agent and decide on its questions; Ctrl-C cancels the turn, Ctrl-D leaves',
    load: () => (require('./commands/chat') as typeof import('./commands/chat')).chatCommand(),
  },
  {
    name: 'sessions',
    description: 'start, follow and end sessions',
    load: () => (require('./commands/sessions') as typeof import('./commands/sessions')).sessionsCommand(),
  },
  {
    name: 'approvals',
    description: 'see what waits for a decision, and decide',
    load: () => (require('./commands/approvals') as typeof import('./commands/approvals')).approvalsCommand(),
  },
  {
    name: 'completion',
    description: 'print a script that completes commands in a shell, to be read by it at its start',
    load: (program) =>
      (require('./commands/completion') as typeof import('./commands/completion')).completionCommand(program),
  },
];

/** First words that speak of every command. */
const ABOUT_ALL: ReadonlySet<string | undefined> = new Set(['completion', 'help']);

/**
 * The `holdpoint` command line. Each command sets the exit code of the process; what was not understood is thrown as a
 * CommanderError, after it was told on standard error.
 *
 * @param firstWord What the program was given first; of other commands only name and description are there.
 */
export function createProgram(firstWord: string | undefined): Command {
  const program = new Command('holdpoint')
    .description('A durable agent runner on Temporal whose writes wait for a decision.')
    .version(ownVersion());
  for (const { name, description, load } of COMMANDS) {
    const isUsed = firstWord === name || ABOUT_ALL.has(firstWord);
    program.addCommand((isUsed ? load(program) : new Command(name)).description(description));
  }
  for (const command of [program, ...allCommands(program)]) {
    command
      .exitOverride()
      .showHelpAfterError(`See: ${pathOf(command)} --help`)
      .configureOutput({ outputError: (text, write) => write(`${marked(text)}\n`) });
  }
  return program;
}

/** What was typed comes back in an error, and may have been copied from anywhere. */
function marked(text: string): string {
  const { foreignLines } = require('./text/foreign-text') as typeof import('./text/foreign-text');
  return foreignLines(text).join('\n');
}

/** Every command below one, at any depth. */
function allCommands(parent: Command): readonly Command[] {
  return parent.commands.flatMap((command) => [command, ...allCommands(command)]);
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
