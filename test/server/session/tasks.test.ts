import type { SessionKey } from '../../../src/core/ids';
import { countByType } from '../../support/api-driver';
import { Gate, gatedTools } from '../../support/gated-tools';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

const gate = new Gate();
let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate, 2_000), sweep: { everyMs: 300, olderThanMs: 1_000 } });
});

afterAll(async () => {
  await stack.stop();
});

const create = (sessionId: string, content: string, more: object = {}) =>
  stack.post('/v1/sessions', { agent: 'workspace', message: { content }, sessionId, mode: 'task', ...more });

/** Starts a run of a task as a parent does, and waits for its end. */
async function runTask(sessionId: string, start: object): Promise<unknown> {
  const { client, workflowId } = stack.workflow(sessionId);
  const input = { v: 1, tenant: 'default', sessionId, agent: 'workspace', mode: 'task', ...start };
  const handle = await client.start('agentSession', { workflowId, taskQueue: 'holdpoint', args: [input] });
  return handle.result();
}

const first = { messageId: 'first', content: 'list' };

test.concurrent('a task over HTTP has one turn, closes, and takes no more messages', async () => {
  expect((await create('task-http', 'list', { limits: { roundsPerTurn: 2 } })).status).toBe(201);
  const result = await stack.workflow('task-http').result();
  const entries = await stack.entries('task-http');
  expect(result).toEqual({ v: 1, sessionId: 'task-http', outcome: 'completed', lastSeq: entries.at(-1)?.seq });
  expect(entries.at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'task_ended' } });
  const { json } = await stack.get('/v1/sessions/task-http');
  expect(json).toMatchObject({ mode: 'task', status: 'closed', limits: { roundsPerTurn: 2 } });
  const refused = await stack.send('task-http', 'more');
  expect([refused.status, refused.json?.['code']]).toEqual([409, 'session_closed']);
  expect((await create('task-http', 'list', { limits: { roundsPerTurn: 2 } })).status).toBe(200);
  expect(await stack.entries('task-http')).toEqual(entries);
});

test.concurrent('a followup during the turn of a task joins that turn', async () => {
  await create('task-steered', 'call look {"name":"steered task"}');
  await gate.reached('steered task');
  expect((await stack.send('task-steered', 'call look {"name":"steered task"}')).status).toBe(202);
  gate.open('steered task');
  await stack.workflow('task-steered').result();
  const entries = await stack.entries('task-steered');
  expect(turnOutcomes(entries)).toEqual(['completed']);
  expect(entries.filter(({ type }) => type === 'user.message').map(({ turn, round }) => [turn, round])).toEqual([
    [1, undefined],
    [1, 2],
  ]);
});

test.concurrent('a task that waits goes on in another run and returns its text at the end', async () => {
  const message = { messageId: 'first', content: 'write carried.txt: one' };
  const result = runTask('task-carried', { message, returnText: true });
  const [approval] = await stack.pending('task-carried');
  const { runId } = await stack.workflow('task-carried').describe();
  await waitUntil(
    async () => {
      await stack.workflow('task-carried').signal('noise', {});
      return (await stack.workflow('task-carried').describe()).runId;
    },
    (current) => current !== runId,
  );
  await stack.decide(approval as never, 'approve');
  expect(await result).toMatchObject({ outcome: 'completed', text: expect.stringMatching(/\S/) });
  expect(countByType(await stack.entries('task-carried'))).toMatchObject({ 'turn.started': 1, 'session.started': 1 });
});

test.concurrent('a task that has ended is never opened again, by a start or by a signal', async () => {
  const before = await runTask('task-again', { message: first });
  const entries = await stack.entries('task-again');
  expect(await runTask('task-again', { message: first })).toEqual(before);
  await expect(runTask('task-again', { message: { ...first, messageId: 'second' } })).rejects.toMatchObject({
    cause: { type: 'session_closed' },
  });
  const { client, workflowId } = stack.workflow('task-again');
  const signalled = await client.signalWithStart('agentSession', {
    workflowId,
    taskQueue: 'holdpoint',
    args: [{ v: 1, tenant: 'default', sessionId: 'task-again', agent: 'workspace' }],
    signal: 'message',
    signalArgs: [{ messageId: 'third', content: 'list' }],
  });
  expect(await signalled.result()).toEqual(before);
  expect(await stack.entries('task-again')).toEqual(entries);
});

test.concurrent.each([
  ['without a message', 'invalid_start', {}],
  ['with limits that widen', 'invalid_start', { message: first, limits: { roundsPerTurn: 41 } }],
  ['with limits that are none', 'invalid_start', { message: first, limits: { rounds: 1 } }],
])('a task %s fails as %s', async (name, code, start) => {
  const sessionId = `task-${name.replaceAll(' ', '-')}`;
  await expect(runTask(sessionId, start)).rejects.toMatchObject({ cause: { type: code } });
});

test.concurrent('a cancel of its turn ends a task, which says so', async () => {
  await create('task-cancelled', 'call look {"name":"cancelled task"}');
  await gate.reached('cancelled task');
  expect((await stack.post('/v1/sessions/task-cancelled/cancel', {})).status).toBe(202);
  expect(await stack.workflow('task-cancelled').result()).toMatchObject({ outcome: 'cancelled' });
});

test.concurrent('what became of a write is asked beyond the end of a task, and the answer is taken', async () => {
  await create('task-unknown', 'call pay_blind {"name":"unknown task"}');
  const [approval] = await stack.pending('task-unknown');
  await stack.decide(approval as never, 'approve');
  await gate.reached('unknown task');
  await stack.post('/v1/sessions/task-unknown/cancel', {});
  await stack.workflow('task-unknown').result();
  const [question] = await stack.pending('task-unknown');
  const answer = await stack.decide(question as never, 'applied');
  expect([answer.status, answer.json?.['outcome']]).toEqual([200, 'taken']);
  expect(await stack.workflow('task-unknown').result()).toMatchObject({ outcome: 'cancelled' });
  expect(countByType(await stack.entries('task-unknown'))).toMatchObject({ 'session.started': 1, 'turn.started': 1 });
  expect(logFaults(stack.storePath, 'task-unknown')).toEqual([]);
});

test.concurrent('the sweep starts what was left behind, and nothing that was only announced', async () => {
  await create('task-announced', 'list', { start: false });
  // Stored after it by a gateway that died before it could signal.
  const key = { tenant: 'default', sessionId: 'task-left-behind' } as SessionKey;
  const message = { messageId: 'm1', mode: 'followup', content: 'list', principal: 'local' } as const;
  await stack.store.createSession({
    ...key,
    agent: 'workspace',
    mode: 'task',
    message: { ...message, provenance: 'authenticated' },
    at: new Date().toISOString(),
  });
  await stack.untilTurnEnded('task-left-behind', 1);
  await expect(stack.workflow('task-announced').describe()).rejects.toThrow();
  expect(await runTask('task-announced', {})).toMatchObject({ outcome: 'completed' });
});
