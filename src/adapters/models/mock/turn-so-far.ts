import type { Block, BlockOf, Message } from '../../../core/messages';

/** Marks texts on the user's side that are not the user's own message: notes, and messages that joined a turn. */
const ENVELOPE = /^<holdpoint-/;

/** What the mock reads of a request: the last ordinary message of the user, and everything since. */
export interface TurnSoFar {
  /** The user's message; '' when there is none. */
  readonly instruction: string;
  /** Replies with calls since then. */
  readonly rounds: number;
  /** Results since then, in the order of the calls. */
  readonly results: readonly BlockOf<'tool-result'>[];
}

/** Looks only at the messages from the last ordinary user message on, so that earlier turns change nothing. */
export function readTurn(messages: readonly Message[]): TurnSoFar {
  const start = messages.findLastIndex((message) => ownTexts(message).length > 0);
  const opening = messages[start];
  const since = messages.slice(start + 1);
  return {
    instruction: (opening === undefined ? [] : ownTexts(opening)).at(-1)?.text ?? '',
    rounds: since.filter(({ role, blocks }) => role === 'assistant' && blocks.some(isCall)).length,
    results: since.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool-result')),
  };
}

function ownTexts({ role, blocks }: Message): readonly BlockOf<'text'>[] {
  const texts = role === 'user' ? blocks.filter((block) => block.type === 'text') : [];
  return texts.filter(({ text }) => !ENVELOPE.test(text));
}

function isCall({ type }: Block): boolean {
  return type === 'tool-call';
}
