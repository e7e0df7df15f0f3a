import { setTimeout as sleep } from 'node:timers/promises';
import { readTurn } from '../../../src/adapters/models/mock/turn-so-far';
import { HoldpointError } from '../../../src/core/errors';
import type { FinishReason } from '../../../src/core/messages';
import type { ModelAdapter } from '../../../src/core/ports/model-adapter';
import { createManyCallsModel } from '../../support/many-calls-model';

const FINISH = /^finish ([a-z-]+)$/;
const FAIL_TWICE = 'fail twice';

/**
 * The mock model with many calls that also understands `finish REASON` (an answer that ends for this reason) and `fail
 * twice` (an answer in the third attempt).
 */
export function createScriptedFinishes(): ModelAdapter {
  const model = createManyCallsModel();
  let failures = 0;
  return {
    api: model.api,
    async *stream(request, options) {
      const { instruction } = readTurn(request.messages);
      const reason = FINISH.exec(instruction)?.[1];
      if (reason !== undefined) {
        yield { type: 'text-delta', index: 0, text: 'An answer' };
        yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } };
        yield { type: 'finish', reason: reason as FinishReason };
        return;
      }
      if (instruction === FAIL_TWICE && failures < 2) {
        failures += 1;
        await sleep(1);
        throw new HoldpointError('model_overloaded', 'The provider is overloaded.');
      }
      yield* model.stream(request, options);
    },
  };
}
