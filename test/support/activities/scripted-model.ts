import type { Chunk } from '../../../src/core/chunks';
import type { ModelAdapter, ModelRequest } from '../../../src/core/ports/model-adapter';

/** One model call: chunks to stream, an error to throw, or something that takes the signal into account. */
export type ModelStep = readonly Chunk[] | Error | ((signal: AbortSignal) => AsyncIterable<Chunk>);

/** A model that plays its steps in order; one it has no step for is an error of the test. */
export interface ScriptedModel extends ModelAdapter {
  readonly requests: readonly ModelRequest[];
  add(...steps: readonly ModelStep[]): void;
  /** Steps nobody asked for. */
  left(): number;
}

export function createScriptedModel(): ScriptedModel {
  const requests: ModelRequest[] = [];
  const steps: ModelStep[] = [];
  return {
    api: 'scripted',
    requests,
    add: (...more) => {
      steps.push(...more);
    },
    left: () => steps.length,
    async *stream(request, { signal }) {
      requests.push(request);
      const step = steps.shift();
      if (step === undefined) {
        throw new Error('The script has no step for this request.');
      }
      if (step instanceof Error) {
        throw step;
      }
      yield* typeof step === 'function' ? step(signal) : step;
    },
  };
}

/** The chunks of a reply without calls. */
export function says(text: string): readonly Chunk[] {
  return [
    { type: 'text-delta', index: 0, text },
    { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
    { type: 'finish', reason: 'stop' },
  ];
}

/** The chunks of a reply that asks for tools; arguments that are a string are sent as they are. */
export function calls(...asked: readonly (readonly [name: string, args: unknown])[]): readonly Chunk[] {
  return [
    ...asked.map(
      ([name, args], index): Chunk => ({
        type: 'tool-call-delta',
        index,
        providerCallId: `call-${index}`,
        name,
        argumentsText: typeof args === 'string' ? args : JSON.stringify(args),
      }),
    ),
    { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
    { type: 'finish', reason: 'tool-calls' },
  ];
}
