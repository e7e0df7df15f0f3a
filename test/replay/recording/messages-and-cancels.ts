import { playToQuestion, untilModelStreams } from './play-turn';
import type { ScenarioGroup } from './turn-scenario';

/** Messages of every mode at every time, and a cancel in every kind of step. */
export const MESSAGES_AND_CANCELS: ScenarioGroup = {
  options: { toolTimeoutMs: 2_000 },
  scenarios: {
    'steered-turn': async (stack) => {
      const sessionId = await stack.startSession('slow 3');
      await untilModelStreams(stack, sessionId);
      await stack.post(`/v1/sessions/${sessionId}/messages`, { content: 'list', mode: 'steer' });
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'injected-into-a-turn': async (stack) => {
      const sessionId = await stack.startSession('slow 3 then list');
      await untilModelStreams(stack, sessionId);
      await stack.post(`/v1/sessions/${sessionId}/messages`, { content: 'the build is green', mode: 'inject' });
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'injected-at-rest': async (stack) => {
      const sessionId = await stack.startSession('good morning');
      await stack.untilTurnEnded(sessionId, 1);
      await stack.post(`/v1/sessions/${sessionId}/messages`, { content: 'the build is green', mode: 'inject' });
      await stack.send(sessionId, 'list');
      await stack.untilTurnEnded(sessionId, 2);
      return { sessionId };
    },
    'queued-followups': async (stack) => {
      const sessionId = await stack.startSession('slow 2');
      await untilModelStreams(stack, sessionId);
      await stack.send(sessionId, 'list');
      await stack.send(sessionId, 'good morning');
      await stack.untilTurnEnded(sessionId, 3);
      return { sessionId };
    },
    'two-turns': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write two-turns.txt: one');
      await stack.decide(approval, 'approve');
      await stack.untilTurnEnded(sessionId, 1);
      await stack.send(sessionId, 'list');
      await stack.untilTurnEnded(sessionId, 2);
      return { sessionId };
    },
    'texts-moved-to-the-store': async (stack) => {
      const sessionId = await stack.startSession('slow 3');
      await untilModelStreams(stack, sessionId);
      for (const messageId of ['long-1', 'long-2', 'long-3', 'long-4', 'long-5']) {
        await stack.workflow(sessionId).signal('message', { messageId, content: 'x'.repeat(14_000) });
      }
      await stack.untilTurnEnded(sessionId, 6);
      return { sessionId };
    },
    'cancelled-in-a-model-call': async (stack) => {
      const sessionId = await stack.startSession('slow 30');
      await untilModelStreams(stack, sessionId);
      await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'cancelled-while-waiting': async (stack) => {
      const { sessionId } = await playToQuestion(stack, 'write cancelled.txt: one');
      await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'cancelled-in-a-read': async (stack, gate) => {
      const sessionId = await stack.startSession('call look {"name":"cancelled read"}');
      await gate.reached('cancelled read');
      await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'cancelled-in-a-write': async (stack, gate) => {
      const { sessionId, approval } = await playToQuestion(stack, 'call pay_verified {"name":"cancelled write"}');
      await stack.decide(approval, 'approve');
      await gate.reached('cancelled write');
      await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'cancelled-with-its-queue': async (stack) => {
      const sessionId = await stack.startSession('slow 30');
      await untilModelStreams(stack, sessionId);
      await stack.send(sessionId, 'list');
      await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'cancelled-with-queue-kept': async (stack) => {
      const sessionId = await stack.startSession('slow 30');
      await untilModelStreams(stack, sessionId);
      await stack.send(sessionId, 'list');
      await stack.post(`/v1/sessions/${sessionId}/cancel`, { keepQueue: true });
      await stack.untilTurnEnded(sessionId, 2);
      return { sessionId };
    },
    'cancelled-before-it-opened': async (stack) => {
      await stack.stopWorker();
      const sessionId = await stack.startSession('list');
      await stack.workflow(sessionId).signal('cancelTurn', {});
      await stack.startWorker();
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'broken-signals': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write broken.txt: one');
      for (const name of ['message', 'decide', 'cancelTurn', 'unheard-of']) {
        await stack.connection.workflowService.signalWorkflowExecution({
          namespace: 'default',
          workflowExecution: { workflowId: `default/${sessionId}` },
          signalName: name,
          input: {
            payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{"broken":') }],
          },
          requestId: `broken ${name}`,
        });
      }
      await stack.decide(approval, 'reject');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
  },
};
