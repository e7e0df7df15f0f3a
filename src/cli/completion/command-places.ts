import type { Command, Option } from 'commander';

/** What may follow at one place of the command line. */
export interface CommandPlace {
  /** The commands typed so far, below the program: `` or `sessions start`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletableOption[];
}

export interface CompletableOption {
  /** With its dashes. */
  readonly name: string;
  readonly description: string;
  /** Values it takes; empty where any text will do. */
  readonly choices: readonly string[];
  readonly takesValue: boolean;
}

/** Every place of a command line, from the program's own tree of commands. */
export function commandPlaces(command: Command, path = ''): readonly CommandPlace[] {
  const place = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: [...command.options.flatMap(completableOption), HELP],
  };
  return [place, ...command.commands.flatMap((child) => commandPlaces(child, `${path} ${child.name()}`.trim()))];
}

const HELP: CompletableOption = {
  name: '--help',
  description: 'what this command does',
  choices: [],
  takesValue: false,
};

function completableOption(option: Option): readonly CompletableOption[] {
  const { long, description, argChoices, required } = option;
  return long === undefined || long === null
    ? []
    : [{ name: long, description, choices: argChoices ?? [], takesValue: required }];
}
