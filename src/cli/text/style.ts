import { styleText } from 'node:util';

const FORMATS = {
  strong: 'bold',
  quiet: 'dim',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  name: 'cyan',
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
  return isColoured ? (tone, text) => (text === '' ? '' : styleText(FORMATS[tone], text)) : (_tone, text) => text;
}
