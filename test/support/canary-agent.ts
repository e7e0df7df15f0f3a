import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { Chunk } from '../../src/core/chunks';
import { HoldpointError } from '../../src/core/errors';
import { ToolRefused } from '../../src/core/tool-refused';
import { defineTool, type ToolDefinition } from '../../src/definitions/define-tool';
import type { ModelStep } from './activities/scripted-model';
import { CANARY, canary } from './find-canary';
import type { Gate } from './gated-tools';

const TEXT = z.strictObject({ text: z.string() });

/** Tools that say, throw and show canaries wherever a tool can. */
export function canaryTools(): readonly ToolDefinition[] {
  return [
    defineTool({
      name: 'echo',
      description: canary('description'),
      parameters: TEXT,
      effect: 'read',
      execute: async ({ text }, { logger }) => {
        logger.info('A tool speaks.', { said: canary('logged'), text });
        return { text, more: canary('result') };
      },
    }),
    defineTool({
      name: 'breaks',
      description: 'Fails in the way it is told.',
      parameters: z.strictObject({ how: z.enum(['throws', 'refuses', 'fails']), text: z.string() }),
      effect: 'read',
      execute: async ({ how }) => {
        switch (how) {
          case 'throws':
            throw new Error(canary('thrown'), { cause: new Error(canary('cause')) });
          case 'refuses':
            throw new ToolRefused(canary('refused'));
          case 'fails':
            throw ApplicationFailure.create({
              type: canary('type'),
              message: canary('failure'),
              details: [canary('details')],
            });
        }
      },
    }),
    defineTool({
      name: 'change',
      description: 'A write that shows all it can and then fails.',
      parameters: TEXT,
      effect: 'write',
      summarize: () => canary('summary'),
      precondition: async () => canary('precondition'),
      preview: async () => canary('preview'),
      verify: async () => {
        throw new Error(canary('verify'));
      },
      execute: async () => {
        throw new Error(canary('thrown-in-a-write'));
      },
    }),
  ];
}

/** A provider that can't be reached, and says so at length. */
export function providerError(code: 'model_overloaded' | 'model_auth', place: string): HoldpointError {
  return new HoldpointError(code, canary(place), {}, { cause: new Error(canary('cause')) });
}

/** A reply with every kind of block, and with calls. It waits at its gate before it says anything. */
export function repliesAt(
  gate: Gate,
  name: string,
  calls: readonly (readonly [name: string, args: object])[],
): ModelStep {
  return async function* (signal) {
    await gate.pass(name, signal);
    yield { type: 'reasoning-delta', index: 0, text: canary('reasoning') };
    yield { type: 'block-raw', index: 0, raw: { signature: canary('raw') } };
    yield { type: 'text-delta', index: 1, text: canary('reply') };
    yield* calls.map(
      ([tool, args], index): Chunk => ({
        type: 'tool-call-delta',
        index: index + 2,
        providerCallId: canary(`id-${index}`),
        name: tool,
        argumentsText: JSON.stringify(args),
      }),
    );
    yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } };
    yield { type: 'finish', reason: 'tool-calls' };
  };
}

/** A reply that never comes to its end. */
export function hangsAfter(gate: Gate, name: string): ModelStep {
  return async function* (signal) {
    yield { type: 'text-delta', index: 0, text: canary('partial') };
    await gate.pass(name, signal);
  };
}

/** Every way a call can go, in one reply. */
export const CANARY_CALLS: readonly (readonly [name: string, args: object])[] = [
  ['read_file', { path: 'notes.txt' }],
  ['echo', { text: canary('argument') }],
  ['breaks', { how: 'throws', text: canary('argument') }],
  ['breaks', { how: 'refuses', text: canary('argument') }],
  ['breaks', { how: 'fails', text: canary('argument') }],
  [CANARY, { text: canary('unknown-tool') }],
  ['echo', { [CANARY]: canary('invalid-argument') }],
  ['write_file', { path: `${CANARY}.txt`, content: canary('file-to-write') }],
  ['change', { text: canary('argument') }],
];
