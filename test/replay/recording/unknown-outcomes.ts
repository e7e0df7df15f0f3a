import type { RunningStack } from '../../support/running-stack';
import { nextQuestion, playToQuestion } from './play-turn';
import type { RecordedRun, ScenarioGroup } from './turn-scenario';

/** A write that nobody can verify runs into its time limit, and a person says what became of it. */
async function answerOutcome(stack: RunningStack, name: string, decision: string): Promise<RecordedRun> {
  const { sessionId, approval } = await playToQuestion(stack, `call pay_blind {"name":"${name}"}`);
  await stack.decide(approval, 'approve');
  await stack.decide(await nextQuestion(stack, sessionId, approval), decision);
  return { sessionId };
}

/** Writes that may or may not have happened, and every answer to the question about it. */
export const UNKNOWN_OUTCOMES: ScenarioGroup = {
  options: { toolTimeoutMs: 1_500 },
  scenarios: {
    'outcome-applied': async (stack) => {
      const run = await answerOutcome(stack, 'applied', 'applied');
      await stack.untilTurnEnded(run.sessionId, 1);
      return run;
    },
    'outcome-run-again': async (stack, gate) => {
      const { sessionId, approval } = await playToQuestion(stack, 'call pay_blind {"name":"run again"}');
      await stack.decide(approval, 'approve');
      const question = await nextQuestion(stack, sessionId, approval);
      gate.open('run again');
      await stack.decide(question, 'run_again');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'outcome-abandoned': async (stack) => {
      const run = await answerOutcome(stack, 'abandoned', 'abandon');
      await stack.untilTurnEnded(run.sessionId, 1);
      return run;
    },
    'outcome-told-in-a-later-turn': async (stack, gate) => {
      const { sessionId, approval } = await playToQuestion(stack, 'call pay_blind {"name":"later"}');
      await stack.decide(approval, 'approve');
      await gate.reached('later');
      await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
      await stack.untilTurnEnded(sessionId, 1);
      await stack.decide(await nextQuestion(stack, sessionId, approval), 'applied');
      await stack.send(sessionId, 'good morning');
      await stack.untilTurnEnded(sessionId, 2);
      return { sessionId };
    },
  },
};

/** Questions that nobody answers in time. */
export const EXPIRED_QUESTIONS: ScenarioGroup = {
  options: { toolTimeoutMs: 1_500, limits: { approvalExpiryMs: 4_000 } },
  scenarios: {
    'expired-question': async (stack) => {
      const { sessionId } = await playToQuestion(stack, 'write expired.txt: one');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'expired-outcome-question': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'call pay_blind {"name":"nobody knows"}');
      await stack.decide(approval, 'approve');
      await nextQuestion(stack, sessionId, approval);
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
  },
};
