/** The numbers that switch each on and off. Node's own `styleText` decides by standard output, whatever it is for. */
const FORMATS = {
  strong: [1, 22],
  quiet: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  warning: [33, 39],
  name: [36, 39],
} as const;

/** What a piece of text is. Colour only adds: whatever it says, words say too. */
export type Tone = keyof typeof FORMATS;
export type Style = (tone: Tone, text: string) => string;

export interface StyleSurroundings {
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Colours for a terminal; none when it is no terminal, when it can't, or when NO_COLOR is set. */
export function createStyle({ isTerminal, environment }: StyleSurroundings): Style {
  const isColoured = isTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return isColoured ? coloured : (_tone, text) => text;
}

function coloured(tone: Tone, text: string): string {
  const [on, off] = FORMATS[tone];
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
}
