import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyChain } from '../../../src/digests/verify-chain';
import { chainOfRows } from '../../support/chain-of-rows';
import { RunningStack } from '../../support/running-stack';
import { sqliteRows } from '../../support/sqlite-rows';

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ sweep: { everyMs: 300, olderThanMs: 1_000 } });
});

afterAll(async () => {
  await stack.stop();
});

async function outcomesOf(sessionId: string): Promise<string[]> {
  const ended = (await stack.entries(sessionId)).filter((entry) => entry.type === 'turn.ended');
  return ended.map((entry) => (entry.data as { outcome: string }).outcome);
}

function expectIntactLog(sessionId: string): void {
  const rows = sqliteRows(stack.storePath, `select * from entries where session = '${sessionId}' order by seq`);
  expect(rows.length).toBeGreaterThan(0);
  expect(verifyChain(chainOfRows(rows))).toBeUndefined();
}

/** Wakes a session with signals that say nothing, until it goes on in another run or this one is past what parks. */
async function wakeForNothing(sessionId: string): Promise<string> {
  const first = (await stack.workflow(sessionId).describe()).runId;
  for (;;) {
    await stack.workflow(sessionId).signal('noise', {});
    const { runId, historyLength } = await stack.workflow(sessionId).describe();
    if (runId !== first || historyLength > 220) {
      return runId;
    }
  }
}

test('a session that an operator terminated in mid-turn waits for its next message, and ends that turn as interrupted', async () => {
  const sessionId = await stack.startSession('write term.txt: hello');
  const [approval] = await stack.pending(sessionId);
  await stack.workflow(sessionId).terminate('operator');
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  expect(await outcomesOf(sessionId)).toEqual(['interrupted', 'completed']);
  expect(existsSync(join(stack.workspaceFolder, 'term.txt'))).toBe(false);
  expect((await stack.decide(approval as never, 'approve')).status).toBe(410);
});

test('a reset to the first workflow task walks the turn again without asking or writing twice', async () => {
  const sessionId = await stack.startSession('write reset.txt: hello');
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'approve');
  await stack.untilTurnEnded(sessionId, 1);
  const before = (await stack.entries(sessionId)).length;
  await stack.temporalTool(
    ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
    ...['--type', 'FirstWorkflowTask', '--reason', 'test'],
  );
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  expect(await outcomesOf(sessionId)).toEqual(['completed', 'completed']);
  const entries = await stack.entries(sessionId);
  expect(entries.slice(0, before).filter((entry) => entry.type === 'tool.started')).toHaveLength(1);
  expect(entries.filter((entry) => entry.type === 'tool.started')).toHaveLength(1);
  expectIntactLog(sessionId);
});

test('a reset while a decision is open keeps the question, and the decision is taken once', async () => {
  const sessionId = await stack.startSession('write reset2.txt: hello');
  const [approval] = await stack.pending(sessionId);
  await stack.temporalTool(
    ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
    ...['--type', 'FirstWorkflowTask', '--reason', 'test'],
  );
  expect([200, 202]).toContain((await stack.decide(approval as never, 'approve')).status);
  await stack.untilTurnEnded(sessionId, 1);
  expect(readFileSync(join(stack.workspaceFolder, 'reset2.txt'), 'utf8')).toBe('hello');
  expect((await stack.entries(sessionId)).filter((entry) => entry.type === 'approval.decided')).toHaveLength(1);
});

test('a cancel request from Temporal itself cancels the turn and closes the session; a message reopens it', async () => {
  const sessionId = await stack.startSession('write cancel.txt: hello');
  await stack.pending(sessionId);
  await stack.workflow(sessionId).cancel();
  await expect(stack.workflow(sessionId).result()).rejects.toMatchObject({ name: 'WorkflowFailedError' });
  expect(await outcomesOf(sessionId)).toEqual(['cancelled']);
  expect((await stack.workflow(sessionId).describe()).status.name).toBe('CANCELLED');
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  expect(await outcomesOf(sessionId)).toEqual(['cancelled', 'completed']);
});

test('close runs what is queued, then ends the workflow', async () => {
  const sessionId = await stack.startSession('slow 1');
  await stack.send(sessionId, 'list');
  await stack.workflow(sessionId).signal('close', {});
  await stack.workflow(sessionId).result();
  expect(await outcomesOf(sessionId)).toEqual(['completed', 'completed']);
  expect((await stack.get(`/v1/sessions/${sessionId}`)).json).toMatchObject({ status: 'closed' });
});

test('messages and decisions are accepted while no worker is up, and taken when one comes', async () => {
  const sessionId = await stack.startSession('write down.txt: hello');
  const [approval] = await stack.pending(sessionId);
  await stack.stopWorker();
  const decided = await stack.decide(approval as never, 'approve', { decisionId: 'd-while-down' });
  expect([decided.status, decided.json?.['decisionId']]).toEqual([202, 'd-while-down']);
  expect((await stack.send(sessionId, 'list')).status).toBe(202);
  expect((await stack.get(`/v1/sessions/${sessionId}`)).status).toBe(200);
  await stack.startWorker();
  await stack.untilTurnEnded(sessionId, 2);
  expect(await outcomesOf(sessionId)).toEqual(['completed', 'completed']);
  const again = await stack.decide(approval as never, 'approve', { decisionId: 'd-while-down' });
  expect([again.status, again.json?.['outcome']]).toEqual([200, 'taken']);
});

test('a long wait of a session that has worked parks in a small new run, and nothing is lost', async () => {
  const sessionId = await stack.startSession('list');
  await stack.untilTurnEnded(sessionId, 1);
  const first = (await stack.workflow(sessionId).describe()).runId;
  let turn = 1;
  while ((await stack.workflow(sessionId).describe()).runId === first && turn < 30) {
    turn += 1;
    await stack.send(sessionId, 'list');
    await stack.untilTurnEnded(sessionId, turn);
  }
  const described = await stack.workflow(sessionId).describe();
  expect(described.runId).not.toBe(first);
  expect(described.historyLength).toBeLessThan(50);
  // The run may have taken one more message and park once more; after that, nothing it hears is work.
  const parked = await wakeForNothing(sessionId);
  expect(await wakeForNothing(sessionId)).toBe(parked);
  await stack.send(sessionId, 'write parked.txt: hello');
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'approve');
  await stack.untilTurnEnded(sessionId, turn + 1);
  expect(new Set(await outcomesOf(sessionId))).toEqual(new Set(['completed']));
  expectIntactLog(sessionId);
});
