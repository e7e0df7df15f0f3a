import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { countByType, type Pending } from '../../support/api-driver';
import { inParallel } from '../../support/in-parallel';
import { RunningStack } from '../../support/running-stack';
import { sessionRuns, untilAtRest } from '../../support/session-runs';

/** Nearly the largest payload the server takes. 28 of them are more than a history may hold (50 MiB). */
const LARGE = { approvalId: 'a', decision: 'approve', junk: 'x'.repeat(1_900_000) };
const TOO_MANY = 30;
const TIMEOUT_MS = 120_000;

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ sweep: { everyMs: 1_000, olderThanMs: 2_000 } });
}, TIMEOUT_MS);

afterAll(async () => {
  await stack.stop();
}, TIMEOUT_MS);

async function holding(file: string): Promise<{ readonly sessionId: string; readonly approval: Pending }> {
  const sessionId = await stack.startSession(`write ${file}: hello`);
  const [approval] = await stack.pending(sessionId);
  return { sessionId, approval: approval as Pending };
}

/** Sends large signals. The one that is too much ends the run and is refused, like all that come later. */
async function flood(sessionId: string, count: number, parallel: number): Promise<void> {
  const handle = stack.workflow(sessionId);
  await inParallel(count, parallel, () =>
    handle.signal('decide', LARGE).catch((error: unknown) => {
      expect(['ServiceError', 'WorkflowNotFoundError']).toContain((error as { readonly name?: unknown }).name);
    }),
  );
}

async function statusOf(sessionId: string): Promise<string> {
  return (await stack.workflow(sessionId).describe()).status.name;
}

/** The question of the first turn is open, its answer lets the write happen once, and the next turn follows. */
async function expectToGoOn(sessionId: string, approval: Pending, file: string): Promise<void> {
  const [open] = await stack.pending(sessionId);
  expect(open?.approvalId).toBe(approval.approvalId);
  expect([200, 202]).toContain((await stack.decide(approval, 'approve')).status);
  await stack.untilTurnEnded(sessionId, 2);
  expect(readFileSync(join(stack.workspaceFolder, file), 'utf8')).toBe('hello');
  const entries = await stack.entries(sessionId);
  expect(countByType(entries)).toMatchObject({
    'user.message': 2,
    'approval.requested': 1,
    'approval.decided': 1,
    'tool.started': 1,
    'turn.ended': 2,
  });
  const outcomes = entries.filter(({ type }) => type === 'turn.ended').map(({ data }) => data);
  expect(outcomes).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
}

test(
  'a session that has time to look at each large signal goes on as new before its history is full',
  async () => {
    const { sessionId, approval } = await holding('one-by-one.txt');
    const { runId } = await stack.workflow(sessionId).describe();
    for (let index = 0; index < TOO_MANY; index += 1) {
      await flood(sessionId, 1, 1);
      await untilAtRest(stack.connection, `default/${sessionId}`);
    }
    const runs = await sessionRuns(stack.connection, `default/${sessionId}`);
    expect(runs.at(-1)?.runId).toBe(runId);
    expect(Math.max(...runs.map(({ historyBytes }) => historyBytes))).toBeLessThan(15_000_000);
    await stack.send(sessionId, 'list');
    await expectToGoOn(sessionId, approval, 'one-by-one.txt');
  },
  TIMEOUT_MS,
);

test(
  'whatever the server does about large signals that come at once, the next message finds the turn as it was',
  async () => {
    const { sessionId, approval } = await holding('at-once.txt');
    await flood(sessionId, TOO_MANY, 10);
    await stack.send(sessionId, 'list');
    await expectToGoOn(sessionId, approval, 'at-once.txt');
  },
  TIMEOUT_MS,
);

test(
  'a history of 38 MB that piled up without a worker is read, and left behind',
  async () => {
    const { sessionId, approval } = await holding('piled-up.txt');
    await stack.stopWorker();
    await flood(sessionId, 20, 2);
    await stack.send(sessionId, 'list');
    await stack.startWorker();
    await expectToGoOn(sessionId, approval, 'piled-up.txt');
    const [newest] = await sessionRuns(stack.connection, `default/${sessionId}`);
    expect(newest?.historyBytes).toBeLessThan(100_000);
  },
  TIMEOUT_MS,
);

test(
  'a run that the server ended for its size is followed by one that walks the open turn again',
  async () => {
    const { sessionId, approval } = await holding('ended.txt');
    await stack.stopWorker();
    await flood(sessionId, TOO_MANY, 2);
    expect(await statusOf(sessionId)).toBe('TERMINATED');
    await stack.send(sessionId, 'list');
    await stack.startWorker();
    await expectToGoOn(sessionId, approval, 'ended.txt');
  },
  TIMEOUT_MS,
);

test(
  'a decision alone revives a run that the server ended for its size',
  async () => {
    const { sessionId, approval } = await holding('revived.txt');
    await stack.stopWorker();
    await flood(sessionId, TOO_MANY, 2);
    expect(await statusOf(sessionId)).toBe('TERMINATED');
    const decided = await stack.decide(approval, 'approve', { decisionId: 'd1' });
    expect(decided.status).toBe(202);
    await stack.startWorker();
    await stack.untilTurnEnded(sessionId, 1);
    expect(readFileSync(join(stack.workspaceFolder, 'revived.txt'), 'utf8')).toBe('hello');
    expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'tool.started': 1, 'turn.ended': 1 });
  },
  TIMEOUT_MS,
);

test(
  'what a plain client adds to a start is not handed from run to run',
  async () => {
    const sessionId = 'started-large';
    const handle = stack.workflow(sessionId);
    const message = (index: number) => ({ messageId: `m${index}`, content: 'list' });
    const start = { v: 1, tenant: 'default', sessionId, agent: 'workspace', message: message(0) };
    await new Client({ connection: stack.connection }).workflow.start('agentSession', {
      workflowId: `default/${sessionId}`,
      taskQueue: 'holdpoint',
      args: [{ ...start, unheardOf: 'x'.repeat(2_090_000) }],
    });
    const turns = 25;
    for (let index = 1; index < turns; index += 1) {
      await handle.signal('message', message(index));
    }
    await stack.untilTurnEnded(sessionId, turns);
    await untilAtRest(stack.connection, `default/${sessionId}`);
    const runs = await sessionRuns(stack.connection, `default/${sessionId}`);
    expect(runs.length).toBeGreaterThan(1);
    expect(runs[0]?.startBytes).toBeLessThan(5_000);
  },
  TIMEOUT_MS,
);
