import { z } from 'zod';
import { readTurn } from '../../src/adapters/models/mock/turn-so-far';
import type { Chunk } from '../../src/core/chunks';
import type { ModelAdapter } from '../../src/core/ports/model-adapter';
import { defineTool } from '../../src/definitions/define-tool';
import type { RunningStack, StackOptions } from '../../test/support/running-stack';

const MESSAGE = /^(\d+) rounds of (\d+) bytes$/;
const DEADLINE_MS = 300_000;
/** Asking costs the process that is measured, so it is asked seldom. */
const PAUSE_MS = 250;

const USAGE = { inputTokens: 1_000, outputTokens: 100 } as const;

/** What a session needs for turns of a given length: a tool, limits nobody reaches, a model that costs nothing. */
export const LONG_TURNS: StackOptions = {
  tools: [
    defineTool({
      name: 'echo',
      description: 'Returns a text of a given length.',
      parameters: z.strictObject({ bytes: z.number().int() }),
      effect: 'read',
      execute: async ({ bytes }) => 'x'.repeat(bytes),
    }),
  ],
  limits: { roundsPerTurn: 1_000, callsPerTurn: 1_000, resultCharactersPerTurn: 1e9, resultBytes: 0 },
  model: roundsModel(),
};

/** One turn of so many rounds with one call each, and the answer. Resolves when it is over and the session rests. */
export async function runTurn(
  stack: RunningStack,
  sessionId: string,
  { turn, rounds, resultBytes }: { readonly turn: number; readonly rounds: number; readonly resultBytes: number },
): Promise<void> {
  await stack.send(sessionId, `${rounds} rounds of ${resultBytes} bytes`);
  const endMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const { json } = await stack.get(`/v1/sessions/${sessionId}`);
    const last = json?.['lastTurn'] as { readonly turn: number; readonly outcome: string } | null | undefined;
    if (last?.turn === turn) {
      if (last.outcome !== 'completed') {
        throw new Error(`The turn of ${rounds} rounds ended as ${last.outcome}.`);
      }
      return;
    }
    if (Date.now() > endMs) {
      throw new Error(`The turn of ${rounds} rounds did not end.`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Answers at once; a message that asks for rounds gets them. */
function roundsModel(): ModelAdapter {
  return {
    api: 'mock',
    async *stream({ messages }): AsyncGenerator<Chunk> {
      const { instruction, rounds } = readTurn(messages);
      const [, wanted = '0', bytes = '0'] = MESSAGE.exec(instruction) ?? [];
      const hasMore = rounds < Number(wanted);
      yield hasMore
        ? {
            type: 'tool-call-delta',
            index: 0,
            providerCallId: `call-${rounds}`,
            name: 'echo',
            argumentsText: JSON.stringify({ bytes: Number(bytes) }),
          }
        : { type: 'text-delta', index: 0, text: 'done' };
      yield { type: 'usage', usage: USAGE };
      yield { type: 'finish', reason: hasMore ? 'tool-calls' : 'stop' };
    },
  };
}
