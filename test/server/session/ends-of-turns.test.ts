import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { countByType } from '../../support/api-driver';
import { logFaults } from '../../support/log-faults';
import { createManyCallsModel } from '../../support/many-calls-model';
import { RunningStack } from '../../support/running-stack';

const PARAMETERS = z.strictObject({ name: z.string() });

/** Names of bodies that have begun. */
const begun: string[] = [];

/** Runs until it is told to stop. */
function endless(name: string, effect: 'read' | 'write') {
  return defineTool({
    name,
    description: `A ${effect} that ends only when it is stopped.`,
    parameters: PARAMETERS,
    effect,
    timeoutMs: 6_000,
    execute: (args, { signal }) =>
      new Promise((_resolve, reject) => {
        begun.push(args.name);
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  });
}

const tools = [
  endless('endless_read', 'read'),
  endless('endless_write', 'write'),
  defineTool({
    name: 'pay',
    description: 'A write.',
    parameters: PARAMETERS,
    effect: 'write',
    timeoutMs: 2_000,
    execute: async () => 'paid',
  }),
  defineTool({
    name: 'talk',
    description: 'A read with a long result.',
    parameters: PARAMETERS,
    effect: 'read',
    timeoutMs: 2_000,
    execute: async () => 'x'.repeat(3_000),
  }),
];

const LIMITS = { roundsPerTurn: 3, callsPerTurn: 5, resultCharactersPerTurn: 5_000, activeMsPerTurn: 4_000 };

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools, limits: LIMITS, model: createManyCallsModel() });
});

afterAll(async () => {
  await stack.stop();
});

function asksFor(...calls: readonly (readonly [tool: string, name: string])[]): string {
  return `calls ${JSON.stringify(calls.map(([tool, name]) => [tool, { name }]))}`;
}

/** Waits for the end of turn 1 and looks at what it left behind: nothing open, and an intact log. */
async function expectEnd(sessionId: string, outcome: string): Promise<readonly unknown[]> {
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session['lastTurn']).toMatchObject({ turn: 1, outcome });
  expect(session['openApprovals']).toEqual([]);
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  const results = (await stack.entries(sessionId)).filter((entry) => entry.type === 'tool.result');
  return results
    .sort((left, right) => String(left.callId).localeCompare(String(right.callId)))
    .map((entry) => (entry.data as { status: string }).status);
}

async function untilBegun(name: string): Promise<void> {
  await stack.until('/healthz', () => begun.includes(name));
}

test('cancelled while calls run, are held, are approved and wait, and a message is queued', async () => {
  const sessionId = await stack.startSession(
    asksFor(['endless_write', 'w1'], ['pay', 'approved'], ['pay', 'held'], ['endless_read', 'r1'], ['pay', 'rejected']),
  );
  const [first, second, held, rejected] = await stack.pending(sessionId, 4);
  await stack.decide(first as never, 'approve');
  await untilBegun('r1');
  await stack.decide(rejected as never, 'reject');
  await stack.decide(second as never, 'approve');
  await stack.send(sessionId, 'list');
  await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
  const statuses = await expectEnd(sessionId, 'cancelled');
  expect(statuses).toHaveLength(5);
  expect(statuses[2]).toBe('aborted');
  expect(statuses[4]).toBe('rejected');
  const entries = await stack.entries(sessionId);
  expect(entries.filter((entry) => entry.type === 'user.message').at(-1)?.data).toMatchObject({ discarded: true });
  expect((await stack.get(`/v1/approvals/${held?.approvalId}`)).json).toMatchObject({ status: 'cancelled' });
});

test('cancelled while a write is in its body and two questions are open', async () => {
  const sessionId = await stack.startSession(asksFor(['endless_write', 'w2'], ['pay', 'a'], ['pay', 'b']));
  const approvals = await stack.pending(sessionId, 3);
  await stack.decide(approvals[0] as never, 'approve');
  await untilBegun('w2');
  await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'cancelled' });
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  for (const approval of approvals.slice(1)) {
    expect((await stack.get(`/v1/approvals/${approval.approvalId}`)).json).toMatchObject({ status: 'cancelled' });
    expect((await stack.decide(approval, 'approve')).status).toBe(410);
  }
});

test('a model call that fails for good ends the turn', async () => {
  const sessionId = await stack.startSession('fail model_auth');
  expect(await expectEnd(sessionId, 'failed')).toEqual([]);
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'model.retry': 1, 'turn.ended': 1 });
});

test('active time that is over ends the turn in the middle of a model call', async () => {
  const sessionId = await stack.startSession('slow 30');
  expect(await expectEnd(sessionId, 'timeout')).toEqual([]);
});

test('active time that is over in a tool ends the turn when the calls of its round are answered', async () => {
  const sessionId = await stack.startSession(asksFor(['endless_read', 'r3'], ['pay', 'p3']));
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'reject');
  expect(await expectEnd(sessionId, 'timeout')).toEqual(['timeout', 'rejected']);
}, 90_000);

test.each([
  ['max_rounds', 'repeat list', ['success', 'success', 'success']],
  [
    'max_calls',
    asksFor(['talk', '1'], ['talk', '2'], ['talk', '3'], ['talk', '4']),
    ['success', 'success', 'skipped', 'skipped'],
  ],
])('a limit ends the turn as %s: %s', async (outcome, content, statuses) => {
  const sessionId = await stack.startSession(content);
  expect(await expectEnd(sessionId, outcome)).toEqual(statuses);
});

test('more calls than a turn may have: those over the limit are answered without running', async () => {
  const many = Array.from({ length: 8 }, (_, index) => ['talk_less', String(index)] as const);
  const sessionId = await stack.startSession(asksFor(...many));
  const statuses = await expectEnd(sessionId, 'max_calls');
  expect(statuses).toHaveLength(8);
});

test('an agent that is gone ends the turn as blocked, and the session goes on when it is back', async () => {
  await stack.stopWorker();
  const sessionId = await stack.startSession(asksFor(['pay', 'gone']));
  await stack.startWorker('somebody-else');
  try {
    expect(await expectEnd(sessionId, 'blocked')).toEqual([]);
  } finally {
    await stack.stopWorker();
    await stack.startWorker();
  }
  await stack.send(sessionId, asksFor(['talk', 'back']));
  expect((await stack.untilTurnEnded(sessionId, 2))['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
});

test('a turn that an operator interrupted leaves nothing open once its session goes on', async () => {
  const sessionId = await stack.startSession(asksFor(['pay', 'i1'], ['endless_read', 'i2'], ['pay', 'i3']));
  const [first] = await stack.pending(sessionId, 2);
  await untilBegun('i2');
  await stack.decide(first as never, 'approve');
  await stack.workflow(sessionId).terminate('operator');
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  const outcomes = (await stack.entries(sessionId)).filter((entry) => entry.type === 'turn.ended');
  expect(outcomes.map((entry) => (entry.data as { outcome: string }).outcome)).toEqual(['interrupted', 'completed']);
});
