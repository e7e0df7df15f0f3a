import { playTurn } from './play-turn';
import { createScriptedFinishes } from './scripted-finishes';
import type { ScenarioGroup } from './turn-scenario';

/** Every limit of a turn, and every way in which a model call fails. */
export const LIMITS_AND_FAILURES: ScenarioGroup = {
  options: {
    model: createScriptedFinishes(),
    toolTimeoutMs: 4_000,
    limits: { roundsPerTurn: 3, callsPerTurn: 4, resultCharactersPerTurn: 400, activeMsPerTurn: 3_000 },
  },
  scenarios: {
    'max-rounds': (stack) => playTurn(stack, 'repeat read a'),
    'max-calls': (stack) => playTurn(stack, 'read a, b, c, d and e'),
    'too-many-result-characters': (stack, gate) => {
      const names = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(250));
      for (const name of names) {
        gate.open(name);
      }
      return playTurn(stack, `calls ${JSON.stringify(names.map((name) => ['look', { name }]))}`);
    },
    'timeout-in-a-model-call': (stack) => playTurn(stack, 'slow 30'),
    'timeout-in-a-tool': (stack) => playTurn(stack, 'call look {"name":"never opened"}'),
    'max-tokens': (stack) => playTurn(stack, 'finish max-tokens'),
    'withheld-answer': (stack) => playTurn(stack, 'finish content-filter'),
    'model-call-fails-at-once': (stack) => playTurn(stack, 'fail model_auth'),
    'model-call-fails-five-times': (stack) => playTurn(stack, 'fail model_overloaded'),
    'model-call-repeated': (stack) => playTurn(stack, 'fail twice'),
    'agent-gone': async (stack) => {
      await stack.stopWorker();
      await stack.startWorker('somebody-else');
      const run = await playTurn(stack, 'list');
      await stack.stopWorker();
      await stack.startWorker();
      return run;
    },
  },
};
