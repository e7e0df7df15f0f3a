import type { Block } from '../../../core/messages';
import type { ModelAdapter, ModelRequest } from '../../../core/ports/model-adapter';
import { mockAnswer } from './mock-answer';
import { replyFromTable } from './mock-patterns';
import { type MockReply, textReply } from './mock-reply';
import { streamReply } from './stream-reply';
import { readTurn } from './turn-so-far';

const CHARACTERS_PER_TOKEN = 4;

/**
 * A model without a provider, for trying holdpoint and for tests from outside. It goes through the same adapter port,
 * chunks and approvals as a live one. What it understands is the table in `mock-patterns`; any model name will do.
 *
 * The same request always gets the same chunks: no clock, no chance, no memory. It throws what a `fail` message asks
 * for, and the reason of `signal`.
 */
export function createMockModel(): ModelAdapter {
  return {
    api: 'mock',
    stream(request, { signal }) {
      const reply = replyTo(request);
      return streamReply(reply, { position: request.messages.length, usage: usageOf(request, reply), signal });
    },
  };
}

function replyTo({ messages, tools }: ModelRequest): MockReply {
  const turn = readTurn(messages);
  const planned = replyFromTable(turn);
  const answer = mockAnswer(turn, tools.length > 0);
  if (planned === undefined) {
    return textReply(answer);
  }
  // Without tools the calls stay unsaid, but a slow or broken reply is still slow or broken.
  return tools.length === 0 && planned.calls.length > 0 ? { ...planned, text: answer, calls: [] } : planned;
}

function usageOf({ system, messages, tools }: ModelRequest, reply: MockReply) {
  const read = [system, JSON.stringify(tools), ...messages.flatMap(({ blocks }) => blocks.map(textOfBlock))];
  const written = [reply.text, ...reply.calls.flatMap(({ name, argumentsText }) => [name, argumentsText])];
  return { inputTokens: tokensOf(read), outputTokens: tokensOf(written) };
}

function textOfBlock(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'tool-result':
      return block.text;
    case 'tool-call':
      return block.name + block.argumentsText;
    default:
      return '';
  }
}

function tokensOf(texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
