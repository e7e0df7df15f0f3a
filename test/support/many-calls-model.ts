import { createMockModel } from '../../src/adapters/models/mock/mock-model';
import { readTurn } from '../../src/adapters/models/mock/turn-so-far';
import type { Chunk } from '../../src/core/chunks';
import type { ModelAdapter } from '../../src/core/ports/model-adapter';

const MANY_CALLS = /^calls (\[.*\])$/s;

/** The mock model that also understands `calls [["TOOL", {…}], …]`: any calls, all in one round. */
export function createManyCallsModel(): ModelAdapter {
  const mock = createMockModel();
  return {
    api: mock.api,
    stream(request, options) {
      const { instruction, rounds } = readTurn(request.messages);
      const calls = MANY_CALLS.exec(instruction)?.[1];
      return calls === undefined || rounds > 0
        ? mock.stream(request, options)
        : saysCalls(JSON.parse(calls) as readonly (readonly [string, object])[], request.messages.length);
    },
  };
}

async function* saysCalls(calls: readonly (readonly [string, object])[], position: number): AsyncGenerator<Chunk> {
  for (const [index, [name, args]] of calls.entries()) {
    const providerCallId = `many-${position}-${index}`;
    yield { type: 'tool-call-delta', index, providerCallId, name, argumentsText: JSON.stringify(args) };
  }
  yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } };
  yield { type: 'finish', reason: 'tool-calls' };
}
