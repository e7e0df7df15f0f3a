import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TemporalServer } from '../../../src/dev/start-temporal-server';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { startLimitedTemporalServer } from '../../support/limited-temporal-server';
import { RunningStack, type StackOptions } from '../../support/running-stack';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

const newFolder = temporaryFolders();
/** `HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT`: a whole history is more than one answer may hold. */
const CLOSE_EVENT = 2;
const FAST_SWEEP = { everyMs: 300, olderThanMs: 1_000 };

let temporal: TemporalServer;

beforeAll(async () => {
  temporal = await startLimitedTemporalServer(newFolder(), {
    'limit.historyCount.error': 150,
    'limit.historySize.error': 3_000_000,
  });
});

afterAll(async () => {
  await temporal.stop();
});

async function withStack(options: StackOptions, run: (stack: RunningStack) => Promise<void>): Promise<void> {
  const stack = await RunningStack.start({ temporalAddress: temporal.address, ...options });
  try {
    await run(stack);
  } finally {
    await stack.stop();
  }
}

/** Sends signals until the server ends the run, and returns why it did. */
async function floodUntilEnded(stack: RunningStack, sessionId: string, payload: string): Promise<string> {
  const { runId } = await stack.workflow(sessionId).describe();
  const run = stack.workflow(sessionId, runId);
  for (let isRunning = true; isRunning; ) {
    await run.signal('noise', payload).catch(() => {
      isRunning = false;
    });
  }
  const { history } = await stack.connection.workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId: run.workflowId, runId },
    historyEventFilterType: CLOSE_EVENT,
  });
  return history?.events?.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason ?? 'it was not terminated';
}

test.each([
  ['count', 'x'],
  ['size', 'x'.repeat(1_900_000)],
])('a run that the server ended for its %s is revived by the sweep, with its question open', async (limit, payload) => {
  await withStack({ sweep: FAST_SWEEP }, async (stack) => {
    const sessionId = await stack.startSession('write flooded.txt: hello');
    const [approval] = await stack.pending(sessionId);
    const flooded = stack.workflow(sessionId);
    const first = (await flooded.describe()).runId;

    expect(await floodUntilEnded(stack, sessionId, payload)).toBe(`Workflow history ${limit} exceeds limit.`);
    await waitUntil(
      () => flooded.describe(),
      (run) => run.runId !== first && run.status.name === 'RUNNING',
    );

    expect((await stack.decide(approval as never, 'approve')).json?.['outcome']).toBe('taken');
    await stack.untilTurnEnded(sessionId, 1);
    expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['completed']);
    expect(readFileSync(join(stack.workspaceFolder, 'flooded.txt'), 'utf8')).toBe('hello');
    const types = (await stack.entries(sessionId)).map((entry) => entry.type);
    expect(types.filter((type) => type === 'approval.requested' || type === 'tool.started')).toHaveLength(2);
  });
});

test('after a run that the server ended for its size, the next message goes on with the open turn', async () => {
  await withStack({}, async (stack) => {
    const sessionId = await stack.startSession('write next.txt: hello');
    const [approval] = await stack.pending(sessionId);
    await floodUntilEnded(stack, sessionId, 'x');

    await stack.send(sessionId, 'list');
    expect((await stack.decide(approval as never, 'approve')).json?.['outcome']).toBe('taken');
    await stack.untilTurnEnded(sessionId, 2);
    expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['completed', 'completed']);
  });
});

test('a decision revives a session that the server ended for its size, and is taken', async () => {
  await withStack({}, async (stack) => {
    const sessionId = await stack.startSession('write decided.txt: hello');
    const [approval] = await stack.pending(sessionId);
    await floodUntilEnded(stack, sessionId, 'x');

    expect((await stack.decide(approval as never, 'approve')).json?.['outcome']).toBe('taken');
    await stack.untilTurnEnded(sessionId, 1);
    expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['completed']);
  });
});
