import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilAtRest } from '../../support/session-runs';
import { nextQuestion, playToQuestion, playTurn } from './play-turn';
import type { ScenarioGroup } from './turn-scenario';

/** Turns without a question, and every answer to one. */
export const ANSWERS_AND_DECISIONS: ScenarioGroup = {
  options: { limits: { roundsPerTurn: 3 } },
  scenarios: {
    'plain-answer': (stack) => playTurn(stack, 'good morning'),
    'one-read': (stack) => playTurn(stack, 'list'),
    'reads-at-once': (stack) => playTurn(stack, 'read a, b and c'),
    'tool-error': (stack) => playTurn(stack, 'read nowhere.txt'),
    'invalid-arguments': (stack) => playTurn(stack, 'call read_file {"wrong":true}'),
    'unknown-tool': (stack) => playTurn(stack, 'call no_such_tool {}'),
    'approved-write': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write approved.txt: one');
      await stack.decide(approval, 'approve');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'rejected-write': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write rejected.txt: one');
      await stack.decide(approval, 'reject', { comment: 'not now' });
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'denied-after-a-rejection': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'repeat write denied.txt: one');
      await stack.decide(approval, 'reject');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'two-writes-decided-in-reverse': async (stack) => {
      const sessionId = await stack.startSession('write first.txt: 1; write second.txt: 2');
      for (const approval of [...(await stack.pending(sessionId, 2))].reverse()) {
        await stack.decide(approval, 'approve');
      }
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'superseded-question': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write changed.txt: one');
      writeFileSync(join(stack.workspaceFolder, 'changed.txt'), 'changed meanwhile');
      await stack.decide(approval, 'approve');
      await stack.decide(await nextQuestion(stack, sessionId, approval), 'approve');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'decided-by-a-plain-signal': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write signalled.txt: one');
      const { approvalId, argumentsDigest } = approval;
      await stack.workflow(sessionId).signal('decide', { approvalId, argumentsDigest, decision: 'approve' });
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'refused-decisions': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write refused.txt: one');
      const { approvalId, argumentsDigest } = approval;
      const workflow = stack.workflow(sessionId);
      await workflow.signal('decide', { approvalId, argumentsDigest: 'A'.repeat(43), decision: 'approve' });
      await untilAtRest(stack.connection, workflow.workflowId);
      await workflow.signal('decide', { approvalId: 'ap_nowhere', argumentsDigest, decision: 'approve' });
      await untilAtRest(stack.connection, workflow.workflowId);
      await stack.decide(approval, 'reject');
      await stack.untilTurnEnded(sessionId, 1);
      await workflow.signal('decide', { approvalId, argumentsDigest, decision: 'approve' });
      await stack.send(sessionId, 'list');
      await stack.untilTurnEnded(sessionId, 2);
      return { sessionId };
    },
    'more-decisions-than-fit': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write crowded.txt: one');
      const { approvalId } = approval;
      const forged = Array.from({ length: 120 }, (_, index) => ({
        approvalId,
        argumentsDigest: 'A'.repeat(43),
        decision: 'approve',
        decisionId: `forged-${index}`,
      }));
      await Promise.all(forged.map((decision) => stack.workflow(sessionId).signal('decide', decision)));
      await stack.decide(approval, 'approve');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
  },
};
