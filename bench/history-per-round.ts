/**
 * How much history one round of a session costs (a model call and a tool call), for several lengths of turns and of
 * results, beside a bare workflow that runs as many empty activities on the same server. "Per round" is everything the
 * turn adds to all runs of the session, from rest to rest, divided by its rounds; and, free of what a turn costs once,
 * the difference of two lengths of turns, divided by the difference of their rounds.
 */
import type { WorkflowHandle } from '@temporalio/client';
import type { RunningStack } from '../test/support/running-stack';
import { sessionRuns, untilAtRest } from '../test/support/session-runs';
import { type BareWorker, onStackAndBareWorker } from './support/bare-worker';
import { LONG_TURNS, runTurn } from './support/long-turns';
import { PAIRS, type Pair, pairedValues } from './support/paired';
import { report } from './support/report';

const ROUNDS = [10, 50, 100] as const;
const RESULT_BYTES = [200, 4_096, 65_536] as const;
const BYTES_PER_ROUND = 2_662;
const EVENTS_PER_ROUND = 12;

interface Growth {
  readonly bytes: number;
  readonly events: number;
}

type Quantity = keyof Growth;

async function sessionGrowth(stack: RunningStack, rounds: number, resultBytes: number): Promise<Growth> {
  const sessionId = await stack.startSession('hello');
  await stack.untilTurnEnded(sessionId, 1);
  const before = await sizeOfSession(stack, sessionId);
  await runTurn(stack, sessionId, { turn: 2, rounds, resultBytes });
  return difference(before, await sizeOfSession(stack, sessionId));
}

/** The sizes of all runs of a session that rests. */
async function sizeOfSession(stack: RunningStack, sessionId: string): Promise<Growth> {
  await untilAtRest(stack.connection, `default/${sessionId}`);
  const runs = await sessionRuns(stack.connection, `default/${sessionId}`);
  return runs.reduce(
    (sum, { historyBytes, events }) => ({ bytes: sum.bytes + historyBytes, events: sum.events + events }),
    { bytes: 0, events: 0 },
  );
}

async function bareGrowth(stack: RunningStack, bare: BareWorker, rounds: number): Promise<Growth> {
  const handle = await bare.startWorkflow(2 * rounds + 1);
  await untilAtRest(stack.connection, handle.workflowId);
  const before = await sizeOfBare(handle);
  await handle.signal('go');
  await handle.result();
  return difference(before, await sizeOfBare(handle));
}

async function sizeOfBare(handle: WorkflowHandle): Promise<Growth> {
  const { historyLength, raw } = await handle.describe();
  return { events: historyLength, bytes: Number(raw.workflowExecutionInfo?.historySizeBytes) };
}

function difference(before: Growth, after: Growth): Growth {
  return { bytes: after.bytes - before.bytes, events: after.events - before.events };
}

/** The pairs of one quantity, with every number divided. */
function divided(pairs: readonly Pair<Growth>[], quantity: Quantity, by: number): readonly Pair<number>[] {
  return pairs.map(({ ours, other }) => ({ ours: ours[quantity] / by, other: other[quantity] / by }));
}

/** What a longer turn costs more than a shorter one, pair by pair. */
function slope(longer: readonly Pair<Growth>[], shorter: readonly Pair<Growth>[]): readonly Pair<Growth>[] {
  return longer.map((pair, index) => {
    const less = shorter[index] ?? pair;
    return { ours: difference(less.ours, pair.ours), other: difference(less.other, pair.other) };
  });
}

/** Lengths of results do not matter to a bare workflow: each pair of each length has the one that was run with it. */
async function measurePairs(
  stack: RunningStack,
  bare: BareWorker,
  rounds: number,
): Promise<ReadonlyMap<number, readonly Pair<Growth>[]>> {
  const pairs = new Map<number, Pair<Growth>[]>(RESULT_BYTES.map((resultBytes) => [resultBytes, []]));
  for (let index = 0; index < PAIRS; index += 1) {
    const other = await bareGrowth(stack, bare, rounds);
    for (const [resultBytes, measured] of pairs) {
      measured.push({ ours: await sessionGrowth(stack, rounds, resultBytes), other });
    }
  }
  return pairs;
}

async function measure(stack: RunningStack, bare: BareWorker): Promise<void> {
  const measured: ReadonlyMap<number, readonly Pair<Growth>[]>[] = [];
  for (const rounds of ROUNDS) {
    const pairs = await measurePairs(stack, bare, rounds);
    measured.push(pairs);
    for (const [resultBytes, growth] of pairs) {
      reportWhole(rounds, resultBytes, growth);
    }
  }
  const [shorter, longer] = measured.slice(-2);
  for (const resultBytes of RESULT_BYTES) {
    reportSlope(resultBytes, shorter?.get(resultBytes) ?? [], longer?.get(resultBytes) ?? []);
  }
}

function reportWhole(rounds: number, resultBytes: number, pairs: readonly Pair<Growth>[]): void {
  const parameters = { rounds, resultBytes, per: 'round, whole turn' };
  const bytes = pairedValues('bare workflow', divided(pairs, 'bytes', rounds));
  const limit = { on: 'value', atMost: BYTES_PER_ROUND } as const;
  report({ name: 'history-per-round/bytes', unit: 'bytes', parameters, ...bytes, limit });
  const events = pairedValues('bare workflow', divided(pairs, 'events', rounds));
  report({ name: 'history-per-round/events', unit: 'events', parameters, ...events });
}

/** Of the two longest turns; both end with a run that goes on as a new one. */
function reportSlope(resultBytes: number, shorter: readonly Pair<Growth>[], longer: readonly Pair<Growth>[]): void {
  const [from = 0, to = 0] = ROUNDS.slice(-2);
  const parameters = { rounds: `${from} to ${to}`, resultBytes, per: 'round, slope' };
  const steps = slope(longer, shorter);
  for (const [unit, atMost] of [['bytes', BYTES_PER_ROUND] as const, ['events', EVENTS_PER_ROUND] as const]) {
    const values = pairedValues('bare workflow', divided(steps, unit, to - from));
    report({ name: `history-per-round/${unit}`, unit, parameters, ...values, limit: { on: 'value', atMost } });
  }
}

async function main(): Promise<void> {
  await onStackAndBareWorker(LONG_TURNS, measure);
}

void main();
