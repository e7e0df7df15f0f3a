import { countByType } from '../../support/api-driver';
import { Gate, gatedTools } from '../../support/gated-tools';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

/** Enough to meet every workflow task of the story below; where it has fewer, some points are tried twice. */
const POINTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

const gate = new Gate();
let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate) });
});

afterAll(async () => {
  await stack.stop();
});

/** Ids of the events that a run may be reset to: its completed workflow tasks. */
async function resetPoints(sessionId: string): Promise<readonly string[]> {
  const { events } = await stack.workflow(sessionId).fetchHistory();
  return (events ?? []).flatMap((event) => (event.workflowTaskCompletedEventAttributes ? [String(event.eventId)] : []));
}

/** The first or the last of them, once there is one. */
async function resetPointAt(sessionId: string, index: 0 | -1): Promise<string> {
  const points = await waitUntil(
    () => resetPoints(sessionId),
    (found) => found.length > 0,
  );
  return points.at(index) ?? '';
}

async function resetTo(sessionId: string, eventId: string): Promise<void> {
  await stack.temporalTool(
    ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
    ...['--event-id', eventId, '--reason', 'test'],
  );
}

/** One turn with an approved write and one with a rejected one. */
async function tellStory(name: string): Promise<string> {
  gate.open(name);
  const sessionId = await stack.startSession(`call pay_blind {"name":"${name}"}`);
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'approve');
  await stack.untilTurnEnded(sessionId, 1);
  await stack.send(sessionId, `call pay_blind {"name":"not ${name}"}`);
  const [second] = await stack.pending(sessionId);
  await stack.decide(second as never, 'reject');
  await stack.untilTurnEnded(sessionId, 2);
  return sessionId;
}

test.concurrent.each(POINTS)(
  'a session that is reset to an earlier workflow task (%i tenths of its way) repeats nothing and goes on',
  async (tenths) => {
    const name = `reset ${tenths}`;
    const sessionId = await tellStory(name);
    const before = await stack.entries(sessionId);
    const points = await resetPoints(sessionId);
    await resetTo(sessionId, points[Math.floor((tenths * points.length) / POINTS.length)] ?? '');

    await stack.send(sessionId, 'list');
    await stack.untilTurnEnded(sessionId, 3);
    const after = await stack.entries(sessionId);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(turnOutcomes(after)).toEqual(['completed', 'completed', 'completed']);
    expect(after.slice(before.length).every((entry) => entry.turn === 3)).toBe(true);
    expect(gate.counts()).toMatchObject({ [name]: 1 });
    expect(gate.counts()[`not ${name}`]).toBeUndefined();
    expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  },
);

test.concurrent('a session that is reset to its last workflow task while it holds keeps its question', async () => {
  const sessionId = await stack.startSession('call pay_blind {"name":"held"}');
  gate.open('held');
  const [approval] = await stack.pending(sessionId);
  await stack.temporalTool(
    ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
    ...['--type', 'LastWorkflowTask', '--reason', 'test'],
  );
  expect((await stack.decide(approval as never, 'approve')).status).toBe(200);
  await stack.untilTurnEnded(sessionId, 1);
  expect(gate.counts()['held']).toBe(1);
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'approval.requested': 1, 'approval.decided': 1 });
});

test.concurrent('a session may be reset again and again, also in the middle of its turns', async () => {
  const sessionId = await stack.startSession('call pay_blind {"name":"again"}');
  gate.open('again');
  const [approval] = await stack.pending(sessionId);
  for (const index of [0, 0, -1] as const) {
    await resetTo(sessionId, await resetPointAt(sessionId, index));
  }
  await stack.decide(approval as never, 'approve');
  await stack.untilTurnEnded(sessionId, 1);
  for (const index of [-1, 0, -1] as const) {
    await resetTo(sessionId, await resetPointAt(sessionId, index));
  }
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  const entries = await stack.entries(sessionId);
  expect(turnOutcomes(entries)).toEqual(['completed', 'completed']);
  expect(countByType(entries)).toMatchObject({ 'approval.requested': 1, 'approval.decided': 1, 'tool.started': 1 });
  expect(gate.counts()['again']).toBe(1);
});
