import { createHoldpointClient, type HoldpointClient } from '../../../src/client/holdpoint-client';
import type { SessionExplanation } from '../../../src/core/session-explanation';
import { Gate, gatedTools } from '../../support/gated-tools';
import { RunningStack } from '../../support/running-stack';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

const gate = new Gate();
let stack: RunningStack;
let client: HoldpointClient;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate) });
  client = createHoldpointClient({ baseUrl: stack.gateway.url });
});

afterAll(async () => {
  await stack.stop();
});

/** The explanation, once a wait of this kind is in it. */
function explained(sessionId: string, kind: string): Promise<SessionExplanation> {
  return waitUntil(
    () => client.explainSession(sessionId),
    ({ waitsFor }) => waitsFor.some((wait) => wait.kind === kind),
  );
}

test('the gateway is ready once a worker polls', async () => {
  const ready = { status: 'ok', store: 'ok', temporal: 'ok', worker: 'ok' };
  expect(
    await waitUntil(
      () => client.readReadiness(),
      ({ status }) => status === 'ok',
    ),
  ).toEqual(ready);
});

test('a model call that runs is what a session waits for', async () => {
  const sessionId = await stack.startSession('slow 60');
  // The attempt runs a moment before the log says that its turn has begun.
  const { waitsFor, summary, temporal } = await waitUntil(
    () => client.explainSession(sessionId),
    (explanation) => explanation.summary.includes('is running in turn 1, round 1.'),
  );
  expect(waitsFor).toMatchObject([{ kind: 'model', attempt: 1, since: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  expect(summary).toContain('is running in turn 1, round 1. Attempt 1 of the model call runs.');
  expect(temporal).toMatchObject({ status: 'RUNNING', pollers: [expect.any(String)] });
  await client.cancelTurn(sessionId);
});

test('a model call that fails says with which code, and when it is tried again', async () => {
  const sessionId = await stack.startSession('fail model_overloaded');
  const { waitsFor } = await waitUntil(
    () => client.explainSession(sessionId),
    ({ waitsFor: [first], status }) => (first?.kind === 'model' && first.code !== undefined) || status === 'idle',
  );
  expect(waitsFor[0]).toMatchObject({ kind: 'model', code: 'model_overloaded' });
});

test('a question is told with its expiry, then the write with its lease, then nothing', async () => {
  const sessionId = await stack.startSession('call pay_verified {"name":"explained"}');
  const [approval] = await stack.pending(sessionId);
  const asked = await client.explainSession(sessionId);
  expect(asked.waitsFor).toMatchObject([
    { kind: 'decision', approvalId: approval?.approvalId, tool: 'pay_verified', until: approval?.expiresAt },
  ]);
  await stack.decide(approval as never, 'approve');
  await gate.reached('explained');
  const running = await explained(sessionId, 'lease');
  expect(running.waitsFor).toMatchObject([
    { kind: 'tool', tool: 'pay_verified' },
    { kind: 'lease', tool: 'pay_verified', callId: 't1-r1-c1', attempt: 1, until: expect.any(String) },
  ]);
  gate.open('explained');
  await stack.untilTurnEnded(sessionId, 1);
  expect((await client.explainSession(sessionId)).waitsFor.map(({ kind }) => kind)).toEqual(['message']);
});

test('a workflow that somebody terminated in the middle of a turn is told', async () => {
  const sessionId = await stack.startSession('slow 60');
  await explained(sessionId, 'model');
  await stack.workflow(sessionId).terminate('enough');
  expect((await client.explainSession(sessionId)).waitsFor).toMatchObject([{ kind: 'operator' }]);
});

describe('close', () => {
  test('lets queued messages run first, is the same when it is repeated, and a message opens the session again', async () => {
    const sessionId = await stack.startSession('call look {"name":"closing"}');
    await gate.reached('closing');
    await client.sendMessage(sessionId, { content: 'list' });
    expect(await client.closeSession(sessionId)).toEqual({ sessionId, status: 'running' });
    gate.open('closing');
    await stack.until(`/v1/sessions/${sessionId}`, ({ status }) => status === 'closed');
    expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['completed', 'completed']);
    expect(await client.closeSession(sessionId)).toEqual({ sessionId, status: 'closed' });
    expect((await client.explainSession(sessionId)).summary).toContain('is closed; turn 2 ended as completed.');
    // One that comes before the workflow is over still belongs to what it runs first.
    await stack.workflow(sessionId).result();
    await client.sendMessage(sessionId, { content: 'list' });
    await stack.untilTurnEnded(sessionId, 3);
    expect((await client.readSession(sessionId)).status).toBe('idle');
  });

  test('ends a session whose workflow is gone, with what was left of its turn', async () => {
    const sessionId = await stack.startSession('write closed.txt: x');
    await stack.pending(sessionId);
    await stack.workflow(sessionId).terminate('enough');
    expect((await client.closeSession(sessionId)).status).toBe('waiting_for_approval');
    await stack.until(`/v1/sessions/${sessionId}`, ({ status }) => status === 'closed');
    expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['interrupted']);
  });
});

test('agents and tools are those the worker has published, and sessions are listed in pages', async () => {
  const { agents } = await client.listAgents();
  expect(agents.map(({ name }) => name)).toEqual(['workspace']);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...(agents[0]?.tools ?? [])].sort());
  const first = await client.listSessions({ limit: 2, agent: 'workspace' });
  expect(first.sessions).toHaveLength(2);
  const rest = await client.listSessions({ after: first.nextAfter ?? '' });
  const ids = [...first.sessions, ...rest.sessions].map(({ sessionId }) => sessionId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(rest.nextAfter).toBeNull();
});
