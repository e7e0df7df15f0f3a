import { jsonText } from './text/json-text';
import { createStyle, type Style } from './text/style';
import { wrapLine } from './text/wrap-text';

/** Where a command writes. Lines must be ones that a terminal may be given: foreign text passes `foreignLine` first. */
export interface Output {
  /** True when results go to a terminal. */
  readonly isTerminal: boolean;
  /** Columns to wrap at; undefined when results go elsewhere. */
  columns(): number | undefined;
  /** Rows of the terminal; 0 when results go elsewhere. */
  rows(): number;
  readonly style: Style;
  /** Results, on standard output. Long lines are wrapped on a terminal, with `indent` before what follows. */
  print(line: string, indent?: string): void;
  /** One line of JSON, on standard output. */
  json(value: unknown): void;
  /** What is no result, on standard error. */
  note(line: string): void;
  /** Bytes as they are, on standard output: for what moves a cursor. */
  write(bytes: string): void;
}

/** Makes the output of this process. */
export function createOutput({ stdout, stderr, env }: NodeJS.Process): Output {
  const isTerminal = stdout.isTTY === true;
  const columns = () => (isTerminal && stdout.columns > 0 ? stdout.columns : undefined);
  return {
    isTerminal,
    columns,
    rows: () => (isTerminal ? stdout.rows : 0),
    style: createStyle({ isTerminal, environment: env }),
    print: (line, indent) => {
      stdout.write(`${wrapLine(line, columns(), indent).join('\n')}\n`);
    },
    json: (value) => {
      stdout.write(`${jsonText(value)}\n`);
    },
    note: (line) => {
      stderr.write(`${line}\n`);
    },
    write: (bytes) => {
      stdout.write(bytes);
    },
  };
}
