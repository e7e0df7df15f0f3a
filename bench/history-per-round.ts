/**
 * How much history one round of a session costs (a model call and a tool call), at several lengths of results, beside a
 * bare workflow with two empty activities per round on the same server. Five pairs each, one after another.
 */
import type { WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import { defineTool } from '../src/definitions/define-tool';
import type { RunningStack } from '../test/support/running-stack';
import { sessionRuns } from '../test/support/session-runs';
import { type BareWorker, onStackAndBareWorker } from './support/bare-worker';
import { medianOf } from './support/distribution';
import { report } from './support/report';

const PAIRS = 5;
const ROUNDS = [10, 50] as const;
const RESULT_BYTES = [200, 4_096, 65_536] as const;
const DEADLINE_MS = 300_000;

interface Cost {
  readonly bytes: number;
  readonly events: number;
  readonly ms: number;
}

const echo = defineTool({
  name: 'echo',
  description: 'Returns a text of a given length.',
  parameters: z.strictObject({ bytes: z.number().int() }),
  effect: 'read',
  execute: async ({ bytes }) => 'x'.repeat(bytes),
});

async function sizeOf(handle: WorkflowHandle): Promise<Omit<Cost, 'ms'>> {
  const { historyLength, raw } = await handle.describe();
  return { events: historyLength, bytes: Number(raw.workflowExecutionInfo?.historySizeBytes) };
}

/** One turn of that many rounds, and the final round without tools; per round. */
async function sessionCost(stack: RunningStack, rounds: number, bytes: number): Promise<Cost> {
  const sessionId = await stack.startSession('hello');
  await stack.untilTurnEnded(sessionId, 1);
  const before = await sizeOf(stack.workflow(sessionId));
  const startMs = performance.now();
  await stack.send(sessionId, `repeat call echo {"bytes":${bytes}}`);
  await stack.untilTurnEnded(sessionId, 2, DEADLINE_MS);
  const ms = performance.now() - startMs;
  // A session that rests after so much work goes on as a new, small run; the rounds are in the one before.
  const runs = await sessionRuns(stack.connection, `default/${sessionId}`);
  const after = runs.reduce((largest, run) => (run.events > largest.events ? run : largest));
  return perRound({ bytes: after.historyBytes - before.bytes, events: after.events - before.events, ms }, rounds);
}

async function bareCost(bare: BareWorker, rounds: number): Promise<Cost> {
  const startMs = performance.now();
  const handle = await bare.startWorkflow('bareRounds', rounds);
  await handle.result();
  const ms = performance.now() - startMs;
  return perRound({ ...(await sizeOf(handle)), ms }, rounds);
}

function perRound({ bytes, events, ms }: Cost, rounds: number): Cost {
  return { bytes: bytes / rounds, events: events / rounds, ms: ms / rounds };
}

function medianCost(costs: readonly Cost[]): Cost {
  return {
    bytes: medianOf(costs.map(({ bytes }) => bytes)),
    events: medianOf(costs.map(({ events }) => events)),
    ms: medianOf(costs.map(({ ms }) => ms)),
  };
}

async function measure(stack: RunningStack, bare: BareWorker, rounds: number): Promise<void> {
  for (const resultBytes of RESULT_BYTES) {
    const pairs: { readonly session: Cost; readonly bare: Cost }[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      pairs.push({ bare: await bareCost(bare, rounds), session: await sessionCost(stack, rounds, resultBytes) });
    }
    report('history-per-round', {
      rounds,
      resultBytes,
      pairs: PAIRS,
      perRound: {
        session: medianCost(pairs.map((pair) => pair.session)),
        bare: medianCost(pairs.map((pair) => pair.bare)),
      },
      wallRatio: medianOf(pairs.map((pair) => pair.session.ms / pair.bare.ms)),
    });
  }
}

async function main(): Promise<void> {
  for (const rounds of ROUNDS) {
    const limits = { roundsPerTurn: rounds, callsPerTurn: 1_000, resultCharactersPerTurn: 1e8, resultBytes: 0 };
    await onStackAndBareWorker({ tools: [echo], limits }, (stack, bare) => measure(stack, bare, rounds));
  }
}

void main();
