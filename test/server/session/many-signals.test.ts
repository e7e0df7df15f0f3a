import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pending } from '../../support/api-driver';
import { inParallel } from '../../support/in-parallel';
import { RunningStack } from '../../support/running-stack';
import { sessionRuns, untilAtRest } from '../../support/session-runs';

const FLOOD_TIMEOUT_MS = 400_000;
const PARALLEL = 8;
/** The server takes this many signals per run, and refuses the next one. */
const SERVER_LIMIT = 10_000;

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ sweep: { everyMs: 1_000, olderThanMs: 2_000 } });
});

afterAll(async () => {
  await stack.stop();
});

async function holding(file: string): Promise<{ readonly sessionId: string; readonly approval: Pending }> {
  const sessionId = await stack.startSession(`write ${file}: hello`);
  const [approval] = await stack.pending(sessionId);
  return { sessionId, approval: approval as Pending };
}

async function expectToAnswer(sessionId: string, approval: Pending, file: string): Promise<void> {
  expect([200, 202]).toContain((await stack.decide(approval, 'approve')).status);
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2, FLOOD_TIMEOUT_MS);
  expect(readFileSync(join(stack.workspaceFolder, file), 'utf8')).toBe('hello');
}

test(
  'a session goes on as new before the server refuses its signals, and 12,000 of unknown names leave no trace',
  async () => {
    const { sessionId, approval } = await holding('noise.txt');
    const handle = stack.workflow(sessionId);
    // A moment of rest now and then: while signals pour in without a pause, the server lets no run continue as new.
    for (let wave = 0; wave < 8; wave += 1) {
      await inParallel(1_500, PARALLEL, (index) => handle.signal(`noise${index % 7}`, { index }));
      await untilAtRest(stack.connection, `default/${sessionId}`);
    }
    await expectToAnswer(sessionId, approval, 'noise.txt');
    const runs = await sessionRuns(stack.connection, `default/${sessionId}`);
    expect(runs.length).toBeGreaterThan(2);
    expect(Math.max(...runs.map(({ events }) => events))).toBeLessThan(7_000);
    expect(Math.max(...runs.map(({ startBytes }) => startBytes))).toBeLessThan(5_000);
    expect(await stack.workflow(sessionId).query('status')).toMatchObject({ phase: 'idle', droppedSignals: 12_000 });
  },
  FLOOD_TIMEOUT_MS,
);

test(
  'a run that is full of signals keeps no stored decision or message from being taken',
  async () => {
    const { sessionId, approval } = await holding('full.txt');
    await stack.stopWorker();
    const refused: unknown[] = [];
    await inParallel(SERVER_LIMIT + 50, PARALLEL, () =>
      stack
        .workflow(sessionId)
        .signal('noise')
        .catch((error: unknown) => refused.push(error)),
    );
    expect(refused.length).toBeGreaterThanOrEqual(50);
    await stack.startWorker();
    await expectToAnswer(sessionId, approval, 'full.txt');
  },
  FLOOD_TIMEOUT_MS,
);
