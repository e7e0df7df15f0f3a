import { createMockModel } from '../../src/adapters/models/mock/mock-model';
import { type AssembledReply, createBlockAssembler } from '../../src/core/block-assembler';
import type { Chunk } from '../../src/core/chunks';
import { callIdAt } from '../../src/core/ids';
import type { Block, BlockOf, Message } from '../../src/core/messages';
import type { ModelRequest } from '../../src/core/ports/model-adapter';
import type { ToolSchema } from '../../src/core/tools';

/** A request to the mock; tools default to those of a workspace. */
export function mockRequest(
  messages: readonly Message[],
  tools: readonly ToolSchema[] = WORKSPACE_SCHEMAS,
): ModelRequest {
  return { model: 'workspace', system: 'Help.', messages, tools };
}

export function userText(text: string): Message {
  return { role: 'user', blocks: [{ type: 'text', text }] };
}

/** The calls of a reply. */
export function callsOf({ blocks }: Pick<AssembledReply, 'blocks'>): readonly BlockOf<'tool-call'>[] {
  return blocks.filter((block) => block.type === 'tool-call');
}

/** The text of a reply. */
export function textOf({ blocks }: Pick<AssembledReply, 'blocks'>): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** A reply and the message with its results, as they stand in the next request. */
export function answered(
  reply: Pick<AssembledReply, 'blocks'>,
  results: readonly { readonly text: string; readonly isError?: boolean }[],
): readonly Message[] {
  const blocks = callsOf(reply).map(({ callId, name }, index): Block => {
    const { text = '', isError = false } = results[index] ?? {};
    return { type: 'tool-result', callId, name, text, isError };
  });
  return [
    { role: 'assistant', blocks: reply.blocks },
    { role: 'user', blocks },
  ];
}

/** A reply that was not made by the mock: one call and nothing else. */
export function callOf(name: string, args: object): Pick<AssembledReply, 'blocks'> {
  return { blocks: [{ type: 'tool-call', callId: callIdAt(1, 1, 1), name, argumentsText: JSON.stringify(args) }] };
}

/** Every chunk of one attempt. */
export async function chunksOf(
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of createMockModel().stream(request, { signal })) {
    chunks.push(chunk);
  }
  return chunks;
}

/** One attempt, assembled. */
export async function ask(request: ModelRequest): Promise<AssembledReply> {
  const assembler = createBlockAssembler({ turn: 1, round: 1 });
  for (const chunk of await chunksOf(request)) {
    assembler.push(chunk);
  }
  return assembler.finish();
}

const WORKSPACE_SCHEMAS: readonly ToolSchema[] = [
  ...['list_files', 'read_file', 'search_files'],
  ...['write_file', 'edit_file', 'delete_file'],
].map((name) => ({ name, description: name, parameters: { type: 'object' } }));
