import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { writeNotes } from '../../../examples/child-workflow/write-notes';
import { nextQuestion } from '../../replay/recording/play-turn';
import { countByType } from '../../support/api-driver';
import { ExampleWorker } from '../../support/example-worker';
import { Gate, gatedTools } from '../../support/gated-tools';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

const gate = new Gate();
let stack: RunningStack;
let worker: ExampleWorker;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate) });
  worker = await ExampleWorker.start(stack);
});

afterAll(async () => {
  await worker.stop();
  await stack.stop();
});

type Parent = WorkflowHandle<typeof writeNotes>;

/** Starts the example's workflow; its own id is `parent-` and the session's. */
async function startParent(sessionId: string, request: string): Promise<Parent> {
  const { workflow } = new Client({ connection: stack.connection });
  return workflow.start<typeof writeNotes>('writeNotes', {
    workflowId: `parent-${sessionId}`,
    taskQueue: 'notes',
    args: [{ sessionId, request }],
  });
}

async function sessionOf(sessionId: string) {
  return (await stack.get(`/v1/sessions/${sessionId}`)).json;
}

test('a child completes with its outcome and what the agent said, and its session is closed', async () => {
  const parent = await startParent('child-plain', 'list');
  expect(await parent.result()).toMatch(/^completed: \S/);
  expect(await sessionOf('child-plain')).toMatchObject({
    mode: 'task',
    status: 'closed',
    limits: { roundsPerTurn: 5 },
    metadata: { from: 'writeNotes' },
    lastTurn: { turn: 1, outcome: 'completed' },
  });
  const opening = (await stack.entries('child-plain')).find(({ type }) => type === 'user.message');
  expect(opening?.data).toMatchObject({ content: 'list', provenance: 'authenticated' });
});

test('an approval inside the child works as in any session', async () => {
  const parent = await startParent('child-write', 'write child.txt: hello');
  await stack.decide(await nextQuestion(stack, 'child-write'), 'approve');
  expect(await parent.result()).toMatch(/^completed: /);
  expect(readFileSync(join(stack.workspaceFolder, 'child.txt'), 'utf8')).toBe('hello');
});

test("the parent's cancel reaches the child, which ends its turn and closes", async () => {
  const parent = await startParent('child-cancelled', 'call look {"name":"cancelled child"}');
  await gate.reached('cancelled child');
  await parent.cancel();
  await expect(parent.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await stack.workflow('child-cancelled').describe()).status.name).toBe('CANCELLED');
  expect(await sessionOf('child-cancelled')).toMatchObject({ status: 'closed', lastTurn: { outcome: 'cancelled' } });
});

test("the parent's worker may die and another one goes on", async () => {
  const parent = await startParent('child-other-worker', 'call look {"name":"other worker"}');
  await gate.reached('other worker');
  await worker.stop();
  gate.open('other worker');
  await stack.untilTurnEnded('child-other-worker', 1);
  worker = await ExampleWorker.start(stack);
  expect(await parent.result()).toMatch(/^completed: /);
});

test('two children at once are two sessions', async () => {
  const names = ['child-one', 'child-two'];
  const parents = await Promise.all(names.map((name) => startParent(name, `call look {"name":"${name}"}`)));
  await Promise.all(names.map((name) => gate.reached(name)));
  for (const name of names) {
    gate.open(name);
  }
  const results = await Promise.all(parents.map((parent) => parent.result()));
  expect(results.map((result, index) => result.includes(`saw ${names[index]}`))).toEqual([true, true]);
});

describe('a parent that is reset', () => {
  async function resetToStart(parent: Parent): Promise<string> {
    const { events } = await parent.fetchHistory();
    const first = (events ?? []).find((event) => event.workflowTaskCompletedEventAttributes);
    const before = (await parent.describe()).runId;
    await stack.temporalTool(
      ...['workflow', 'reset', '--workflow-id', parent.workflowId],
      ...['--event-id', String(first?.eventId), '--reason', 'test'],
    );
    await waitUntil(
      async () => (await parent.describe()).runId,
      (runId) => runId !== before,
    );
    return before;
  }

  test('gets the stored outcome of a task that has ended, and nothing runs twice', async () => {
    const parent = await startParent('reset-after', 'write reset-after.txt: hello');
    await stack.decide(await nextQuestion(stack, 'reset-after'), 'approve');
    const before = await parent.result();
    const log = await stack.entries('reset-after');
    await resetToStart(parent);
    const again = new Client({ connection: stack.connection }).workflow.getHandle<typeof writeNotes>(parent.workflowId);
    expect(await again.result()).toBe(before);
    expect(await stack.entries('reset-after')).toEqual(log);
  });

  test('does not run a task twice that is under way', async () => {
    const parent = await startParent('reset-within', 'call pay_blind {"name":"reset within"}');
    const question = await nextQuestion(stack, 'reset-within');
    await resetToStart(parent);
    gate.open('reset within');
    await stack.decide(question, 'approve');
    const again = new Client({ connection: stack.connection }).workflow.getHandle<typeof writeNotes>(parent.workflowId);
    expect(await again.result()).toMatch(/^completed: /);
    const entries = await stack.entries('reset-within');
    expect(turnOutcomes(entries)).toEqual(['completed']);
    expect(countByType(entries)).toMatchObject({ 'user.message': 1, 'approval.requested': 1 });
    expect(gate.counts()).toMatchObject({ 'reset within': 1 });
    expect(logFaults(stack.storePath, 'reset-within')).toEqual([]);
  });
});
