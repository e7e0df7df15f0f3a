import { EXIT_CODES, type ExitCode } from './exit-codes';
import type { TurnEnd } from './follow-turn';
import type { CommandContext } from './on-gateway';
import { foreignLines } from './text/foreign-text';

/** Prints how a turn ended and what was said, and returns the exit code that says the same. */
export function printTurnEnd({ output, isJson }: Pick<CommandContext, 'output' | 'isJson'>, end: TurnEnd): ExitCode {
  if (isJson) {
    output.json(end);
  } else if (end.text !== '') {
    for (const line of foreignLines(end.text)) {
      output.print(line);
    }
  }
  if (end.outcome === 'completed') {
    return EXIT_CODES.done;
  }
  output.note(`The turn ended as ${end.outcome}${end.code === undefined ? '' : ` (${end.code})`}.`);
  return EXIT_CODES.failed;
}
