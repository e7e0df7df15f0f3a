import { countByType } from '../../support/api-driver';
import { Gate, gatedTools } from '../../support/gated-tools';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { sqliteRows } from '../../support/sqlite-rows';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

const gate = new Gate();
let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate) });
});

afterAll(async () => {
  await stack.stop();
});

/** A session whose approved write, named after its tool and `suffix`, has begun and not had its effect yet. */
async function sessionInWrite(tool: string, suffix: string): Promise<{ readonly sessionId: string; name: string }> {
  const name = `${tool} ${suffix}`;
  const sessionId = await stack.startSession(`call ${tool} {"name":"${name}"}`);
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'approve');
  await gate.reached(name);
  return { sessionId, name };
}

/** Resolves when another run than the named one may write to the session. */
async function untilTakenFrom(sessionId: string, runId: string): Promise<void> {
  await waitUntil(
    () => sqliteRows(stack.storePath, `select run_id from sessions where session = '${sessionId}'`)[0]?.['run_id'],
    (current) => current !== runId,
  );
}

/** Resolves when the run that took over has begun to ask what became of the write. */
async function untilSettling(sessionId: string): Promise<void> {
  await waitUntil(
    async () => (await stack.workflow(sessionId).describe()).raw.pendingActivities ?? [],
    ([activity]) => activity?.activityType?.name === 'settleCall' && activity.lastStartedTime != null,
  );
}

async function resultOf(sessionId: string): Promise<unknown> {
  return (await stack.entries(sessionId)).find((entry) => entry.type === 'tool.result')?.data;
}

test.concurrent.each([
  ['pay_verified', 'success'],
  ['pay_blind', 'outcome_unknown'],
] as const)(
  'the write of a terminated run that ends while the next one runs is a late result, and %s is answered as %s',
  async (tool, status) => {
    const { sessionId, name } = await sessionInWrite(tool, 'terminated');
    const { runId } = await stack.workflow(sessionId).describe();
    await stack.workflow(sessionId).terminate('enough');
    await stack.send(sessionId, 'list');
    await untilTakenFrom(sessionId, runId);
    await untilSettling(sessionId);
    expect(gate.counts()[name]).toBeUndefined();
    gate.open(name);
    const late = await waitUntil(
      () => stack.entries(sessionId),
      (entries) => entries.some((entry) => entry.type === 'tool.late_result'),
    );
    // It came before the call was answered, and still it was not for the old run to answer it.
    expect(countByType(late)).toMatchObject({ 'tool.late_result': 1, 'tool.started': 1 });
    expect(late.find((entry) => entry.type === 'tool.late_result')?.data).toMatchObject({ try: 1, status: 'success' });
    expect(late.some((entry) => entry.type === 'tool.result')).toBe(false);

    await stack.untilTurnEnded(sessionId, 2);
    const entries = await stack.entries(sessionId);
    expect(turnOutcomes(entries)).toEqual(['interrupted', 'completed']);
    expect(await resultOf(sessionId)).toMatchObject({ status });
    expect(countByType(entries)).toMatchObject({ 'tool.started': 1, 'tool.late_result': 1 });
    expect(gate.counts()[name]).toBe(1);
    expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  },
);

test.concurrent('the late write of a terminated run that nobody can verify is asked about, and told to the model', async () => {
  const { sessionId, name } = await sessionInWrite('pay_blind', 'asked');
  const { runId } = await stack.workflow(sessionId).describe();
  await stack.workflow(sessionId).terminate('enough');
  await stack.send(sessionId, 'list');
  await untilTakenFrom(sessionId, runId);
  gate.open(name);
  const [question] = await stack.pending(sessionId);
  expect(question).toMatchObject({ kind: 'outcome', tool: 'pay_blind' });
  await stack.untilTurnEnded(sessionId, 2);
  expect((await stack.decide(question as never, 'applied')).json?.['outcome']).toBe('taken');
  await stack.send(sessionId, 'hello');
  await stack.untilTurnEnded(sessionId, 3);
  const injected = (await stack.entries(sessionId)).filter((entry) => entry.type === 'context.injected');
  expect(injected.map((entry) => entry.turn)).toEqual([3]);
  expect(gate.counts()[name]).toBe(1);
});

test.concurrent('a reset while a write runs waits for it instead of running it again', async () => {
  const { sessionId, name } = await sessionInWrite('pay_verified', 'reset');
  const { runId } = await stack.workflow(sessionId).describe();
  await stack.temporalTool(
    ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
    ...['--type', 'FirstWorkflowTask', '--reason', 'test'],
  );
  await untilTakenFrom(sessionId, runId);
  gate.open(name);
  await stack.untilTurnEnded(sessionId, 1);
  expect(await resultOf(sessionId)).toMatchObject({ status: 'success' });
  expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['completed']);
  expect(gate.counts()[name]).toBe(1);
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
});

test.concurrent('a model call of a terminated run writes no reply, and the next run asks again', async () => {
  const sessionId = await stack.startSession('slow 3');
  await waitUntil(
    async () => (await stack.workflow(sessionId).describe()).raw.pendingActivities ?? [],
    ([activity]) => activity?.lastHeartbeatTime != null,
  );
  await stack.temporalTool(
    ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
    ...['--type', 'FirstWorkflowTask', '--reason', 'test'],
  );
  await stack.untilTurnEnded(sessionId, 1);
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'model.reply': 1, 'turn.ended': 1 });
});
