import type { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';
import { nextQuestion, playToQuestion, playTurn, runIdOf, untilModelStreams } from './play-turn';
import type { RecordedRun, ScenarioGroup } from './turn-scenario';

/** Enough for a turn that repeats itself to fill a run. */
const ROUNDS = 20;

async function untilAnotherRun(stack: RunningStack, sessionId: string, runId: string): Promise<void> {
  await waitUntil(
    () => runIdOf(stack, sessionId),
    (current) => current !== runId,
  );
}

/** A run that has grown during a long turn and parks with an open question. */
async function parkWithQuestion(stack: RunningStack): Promise<RecordedRun & { readonly runId: string }> {
  const sessionId = await stack.startSession('repeat list');
  const runId = await runIdOf(stack, sessionId);
  await stack.send(sessionId, 'write parked.txt: one');
  await nextQuestion(stack, sessionId);
  await untilAnotherRun(stack, sessionId, runId);
  return { sessionId, runId };
}

async function terminateInModelCall(stack: RunningStack): Promise<RecordedRun & { readonly runId: string }> {
  const sessionId = await stack.startSession('slow 60');
  await untilModelStreams(stack, sessionId);
  const runId = await runIdOf(stack, sessionId);
  await stack.workflow(sessionId).terminate('operator');
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  return { sessionId, runId };
}

async function lastWorkflowTask(stack: RunningStack, sessionId: string): Promise<string> {
  const { events } = await stack.workflow(sessionId).fetchHistory();
  const completed = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  return String(completed.at(-1)?.eventId);
}

/** As a Temporal client in any language would, without a gateway. */
async function startPlainly(stack: RunningStack, sessionId: string, start: object): Promise<void> {
  const { client, workflowId } = stack.workflow(sessionId);
  const input = { v: 1, tenant: 'default', sessionId, agent: 'workspace', ...start };
  await client.start('agentSession', { workflowId, taskQueue: 'holdpoint', args: [input] });
}

/** How sessions begin, end, rest, and go on in other runs. */
export const RUNS_AND_ENDS: ScenarioGroup = {
  options: { limits: { roundsPerTurn: ROUNDS, callsPerTurn: 100 } },
  scenarios: {
    'parked-at-rest': async (stack) => {
      const sessionId = await stack.startSession('repeat list');
      const runId = await runIdOf(stack, sessionId);
      await stack.untilTurnEnded(sessionId, 1);
      await untilAnotherRun(stack, sessionId, runId);
      return { sessionId, runId };
    },
    'parked-with-a-question': (stack) => parkWithQuestion(stack),
    'carried-question-decided': async (stack) => {
      const { sessionId } = await parkWithQuestion(stack);
      await stack.decide(await nextQuestion(stack, sessionId), 'approve');
      await stack.untilTurnEnded(sessionId, 2);
      return { sessionId };
    },
    'terminated-run': (stack) => terminateInModelCall(stack),
    'interrupted-turn': async (stack) => {
      const { sessionId } = await terminateInModelCall(stack);
      return { sessionId };
    },
    'reset-run': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write reset.txt: one');
      const runId = await runIdOf(stack, sessionId);
      await stack.temporalTool(
        ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
        ...['--event-id', await lastWorkflowTask(stack, sessionId), '--reason', 'recorded'],
      );
      await untilAnotherRun(stack, sessionId, runId);
      await stack.decide(approval, 'approve');
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'closed-session': async (stack) => {
      const { sessionId } = await playTurn(stack, 'list');
      await stack.workflow(sessionId).signal('close', { reason: 'done' });
      await stack.workflow(sessionId).result();
      return { sessionId };
    },
    'reopened-session': async (stack) => {
      const { sessionId } = await playTurn(stack, 'list');
      await stack.workflow(sessionId).signal('close', {});
      await stack.workflow(sessionId).result();
      await stack.send(sessionId, 'good morning');
      await stack.untilTurnEnded(sessionId, 2);
      return { sessionId };
    },
    'closed-behind-its-queue': async (stack) => {
      const sessionId = await stack.startSession('slow 2');
      await untilModelStreams(stack, sessionId);
      await stack.workflow(sessionId).signal('close', {});
      await stack.send(sessionId, 'list');
      await stack.workflow(sessionId).result();
      return { sessionId };
    },
    'cancelled-by-temporal': async (stack, gate) => {
      const sessionId = await stack.startSession('call look {"name":"cancelled workflow"}');
      await gate.reached('cancelled workflow');
      await stack.workflow(sessionId).cancel();
      await stack
        .workflow(sessionId)
        .result()
        .catch(() => undefined);
      return { sessionId };
    },
    'started-by-a-plain-client': async (stack) => {
      const message = { messageId: 'first', content: 'list' };
      await startPlainly(stack, 'plain-client', { message });
      await stack.untilTurnEnded('plain-client', 1);
      return { sessionId: 'plain-client' };
    },
    'invalid-start': async (stack) => {
      await startPlainly(stack, 'invalid-start', { sessionId: 'another' });
      await stack
        .workflow('invalid-start')
        .result()
        .catch(() => undefined);
      return { sessionId: 'invalid-start' };
    },
    'worker-replaced-in-a-turn': async (stack, gate) => {
      const sessionId = await stack.startSession('call look {"name":"replaced"}');
      await gate.reached('replaced');
      await stack.stopWorker();
      gate.open('replaced');
      await stack.startWorker();
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
  },
};

/** Sessions that close by themselves. */
export const IDLE_SESSIONS: ScenarioGroup = {
  options: { limits: { idleMs: 1_500 } },
  scenarios: {
    'closed-when-idle': async (stack) => {
      const { sessionId } = await playTurn(stack, 'good morning');
      await stack.workflow(sessionId).result();
      return { sessionId };
    },
  },
};
