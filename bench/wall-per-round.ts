/**
 * How long one round of a session takes (a model call and a tool call that both answer at once), and how much processor
 * time this process spends on it, beside a bare workflow that runs as many empty activities on the same server. Both are
 * at rest before. Times are the server's, from the signal to the end of the last workflow task.
 */

import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { RunningStack } from '../test/support/running-stack';
import { untilAtRest } from '../test/support/session-runs';
import { type BareWorker, onStackAndBareWorker } from './support/bare-worker';
import { LONG_TURNS, runTurn } from './support/long-turns';
import { inPairs, type Pair, pairedValues } from './support/paired';
import { report } from './support/report';

const ROUNDS = [25, 50] as const;
const WARM_UP_ROUNDS = 5;
const RESULT_BYTES = 200;
const WALL_RATIO = 1.2;

const { EventType } = temporal.api.enums.v1;

/** Milliseconds per round. */
interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function sessionCost(stack: RunningStack, rounds: number): Promise<Cost> {
  const sessionId = await stack.startSession('hello');
  await stack.untilTurnEnded(sessionId, 1);
  await untilAtRest(stack.connection, `default/${sessionId}`);
  // The run that does the work goes on as a new one at its end.
  const { runId } = await stack.workflow(sessionId).describe();
  const cpuMs = await cpuOf(() => runTurn(stack, sessionId, { turn: 2, rounds, resultBytes: RESULT_BYTES }));
  await untilAtRest(stack.connection, `default/${sessionId}`);
  return perRound(await wallOf(stack.workflow(sessionId, runId)), cpuMs, rounds);
}

async function bareCost(stack: RunningStack, bare: BareWorker, rounds: number): Promise<Cost> {
  const handle = await bare.startWorkflow(2 * rounds + 1);
  await untilAtRest(stack.connection, handle.workflowId);
  const cpuMs = await cpuOf(async () => {
    await handle.signal('go');
    await handle.result();
  });
  return perRound(await wallOf(handle), cpuMs, rounds);
}

/** Processor time of this process: worker, gateway, store, and the client that waits. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** From the last signal of a run to the end of its last workflow task. */
async function wallOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  const lastMs = (type: number) => {
    const time = events?.findLast(({ eventType }) => eventType === type)?.eventTime;
    return Number(time?.seconds) * 1_000 + Number(time?.nanos ?? 0) / 1e6;
  };
  return (
    lastMs(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED) - lastMs(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED)
  );
}

function perRound(wallMs: number, cpuMs: number, rounds: number): Cost {
  return { wallMs: wallMs / rounds, cpuMs: cpuMs / rounds };
}

function of(pairs: readonly Pair<Cost>[], quantity: keyof Cost): readonly Pair<number>[] {
  return pairs.map(({ ours, other }) => ({ ours: ours[quantity], other: other[quantity] }));
}

async function measure(stack: RunningStack, bare: BareWorker): Promise<void> {
  await sessionCost(stack, WARM_UP_ROUNDS);
  await bareCost(stack, bare, WARM_UP_ROUNDS);
  for (const rounds of ROUNDS) {
    const pairs = await inPairs(
      () => sessionCost(stack, rounds),
      () => bareCost(stack, bare, rounds),
    );
    const parameters = { rounds, resultBytes: RESULT_BYTES };
    report({
      name: 'wall-per-round/wall',
      unit: 'ms',
      parameters,
      ...pairedValues('bare workflow', of(pairs, 'wallMs')),
      limit: { on: 'ratio', atMost: WALL_RATIO },
    });
    report({
      name: 'wall-per-round/cpu',
      unit: 'ms',
      parameters,
      ...pairedValues('bare workflow', of(pairs, 'cpuMs')),
    });
  }
}

async function main(): Promise<void> {
  await onStackAndBareWorker(LONG_TURNS, measure);
}

void main();
