import { Client } from '@temporalio/client';
import type { Pending } from '../../support/api-driver';
import type { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';
import { nextQuestion, runIdOf, untilModelStreams } from './play-turn';
import type { RecordedRun, ScenarioGroup } from './turn-scenario';

const MESSAGE = { messageId: 'first', content: 'list' };

/** Starts a task as a parent would, without a gateway. */
async function startTask(stack: RunningStack, sessionId: string, start: object = {}): Promise<RecordedRun> {
  const { client, workflowId } = stack.workflow(sessionId);
  const input = { v: 1, tenant: 'default', sessionId, agent: 'workspace', mode: 'task', message: MESSAGE, ...start };
  await client.start('agentSession', { workflowId, taskQueue: 'holdpoint', args: [input] });
  return { sessionId };
}

/** The same, to the end of its run, however that is. */
async function runTask(stack: RunningStack, sessionId: string, start: object = {}): Promise<RecordedRun> {
  const run = await startTask(stack, sessionId, start);
  await untilClosed(stack, sessionId);
  return run;
}

async function untilClosed(stack: RunningStack, sessionId: string): Promise<void> {
  await stack
    .workflow(sessionId)
    .result()
    .catch(() => undefined);
}

/** A task whose first run has grown while it waited for a decision, and that waits on in a second run. */
async function parkTask(
  stack: RunningStack,
  sessionId: string,
): Promise<RecordedRun & { readonly runId: string; readonly approval: Pending }> {
  const message = { messageId: 'first', content: `write ${sessionId}.txt: one` };
  await startTask(stack, sessionId, { returnText: true, limits: { roundsPerTurn: 3 }, message });
  const approval = await nextQuestion(stack, sessionId);
  const runId = await runIdOf(stack, sessionId);
  await waitUntil(
    async () => {
      await stack.workflow(sessionId).signal('noise', {});
      return runIdOf(stack, sessionId);
    },
    (current) => current !== runId,
  );
  return { sessionId, runId, approval };
}

/** Sessions of one turn that return how it ended. */
export const TASKS: ScenarioGroup = {
  options: {},
  scenarios: {
    task: async (stack) => {
      const answer = await stack.post('/v1/sessions', {
        agent: 'workspace',
        message: { content: 'list' },
        mode: 'task',
        limits: { roundsPerTurn: 2 },
      });
      const sessionId = String(answer.json?.['sessionId']);
      await untilClosed(stack, sessionId);
      return { sessionId };
    },
    'task-with-its-text': (stack) => runTask(stack, 'task-with-its-text', { returnText: true }),
    'steered-task': async (stack) => {
      await startTask(stack, 'steered-task', { message: { messageId: 'first', content: 'slow 3' } });
      await untilModelStreams(stack, 'steered-task');
      await stack.send('steered-task', 'list');
      await untilClosed(stack, 'steered-task');
      return { sessionId: 'steered-task' };
    },
    'cancelled-task': async (stack, gate) => {
      const message = { messageId: 'first', content: 'call look {"name":"cancelled task"}' };
      await startTask(stack, 'cancelled-task', { message });
      await gate.reached('cancelled task');
      await stack.workflow('cancelled-task').signal('cancelTurn', {});
      await untilClosed(stack, 'cancelled-task');
      return { sessionId: 'cancelled-task' };
    },
    'task-cancelled-by-temporal': async (stack, gate) => {
      const sessionId = 'task-cancelled-by-temporal';
      const message = { messageId: 'first', content: 'call look {"name":"task of a cancelled parent"}' };
      await startTask(stack, sessionId, { message });
      await gate.reached('task of a cancelled parent');
      await stack.workflow(sessionId).cancel();
      await untilClosed(stack, sessionId);
      return { sessionId };
    },
    'task-started-again': async (stack) => {
      await runTask(stack, 'task-started-again');
      return runTask(stack, 'task-started-again', { returnText: true });
    },
    'task-started-with-another-message': async (stack) => {
      const sessionId = 'task-started-with-another-message';
      await runTask(stack, sessionId);
      return runTask(stack, sessionId, { message: { messageId: 'second', content: 'list' } });
    },
    'task-without-a-message': (stack) => runTask(stack, 'task-without-a-message', { message: undefined }),
    'widening-limits': (stack) =>
      runTask(stack, 'widening-limits', { mode: 'conversation', limits: { roundsPerTurn: 99 } }),
    'parked-task': async (stack) => {
      const { sessionId, runId } = await parkTask(stack, 'parked-task');
      return { sessionId, runId };
    },
    'carried-task-decided': async (stack) => {
      const { sessionId, approval } = await parkTask(stack, 'carried-task-decided');
      await stack.decide(approval, 'approve');
      await untilClosed(stack, sessionId);
      return { sessionId };
    },
    'task-that-took-its-place': async (stack) => {
      const sessionId = 'task-that-took-its-place';
      const message = { messageId: 'first', content: 'write taken.txt: one' };
      await startTask(stack, sessionId, { message });
      const approval = await nextQuestion(stack, sessionId);
      const input = { v: 1, tenant: 'default', sessionId, agent: 'workspace', mode: 'task', message };
      await new Client({ connection: stack.connection }).workflow.start('agentSession', {
        workflowId: `default/${sessionId}`,
        workflowIdConflictPolicy: 'TERMINATE_EXISTING',
        taskQueue: 'holdpoint',
        args: [input],
      });
      await stack.decide(approval, 'approve');
      await untilClosed(stack, sessionId);
      return { sessionId };
    },
  },
};
