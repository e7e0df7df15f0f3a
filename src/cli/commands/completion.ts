import { Argument, Command } from 'commander';
import { bashCompletion, zshCompletion } from '../completion/bash-completion';
import { commandPlaces } from '../completion/command-places';
import { fishCompletion } from '../completion/fish-completion';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

/** `holdpoint completion`: a script that completes commands and options in a shell, made from the commands themselves. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell it is for').choices(SHELLS))
    .action((shell: keyof typeof SCRIPTS) => {
      process.stdout.write(SCRIPTS[shell](program.name(), commandPlaces(program)));
    });
}
