/**
 * How long it takes from the moment an approval is sent until the body of the tool starts: over HTTP, by a plain Temporal
 * signal, and beside them a bare workflow whose signal starts an empty activity, on the same server.
 */
import { z } from 'zod';
import { defineTool } from '../src/definitions/define-tool';
import type { Pending } from '../test/support/api-driver';
import type { RunningStack } from '../test/support/running-stack';
import { untilAtRest } from '../test/support/session-runs';
import { type BareWorker, onStackAndBareWorker } from './support/bare-worker';
import { PAIRS, type Pair, pairedValues } from './support/paired';
import { report } from './support/report';

/** One delay says little: four for each pair of other benchmarks. */
const SAMPLES = 4 * PAIRS;

const startedMs = new Map<string, number>();

const note = defineTool({
  name: 'note',
  description: 'Notes when it starts.',
  parameters: z.strictObject({ name: z.string() }),
  effect: 'write',
  idempotent: true,
  execute: async ({ name }) => {
    startedMs.set(name, Date.now());
    return 'noted';
  },
});

type Send = (sessionId: string, approval: Pending) => Promise<unknown>;

async function approve(stack: RunningStack, name: string, send: Send): Promise<number> {
  const sessionId = await stack.startSession(`call note {"name":"${name}"}`);
  const [approval] = await stack.pending(sessionId);
  await untilAtRest(stack.connection, `default/${sessionId}`);
  const sentMs = Date.now();
  await send(sessionId, approval as Pending);
  await stack.untilTurnEnded(sessionId, 1);
  return (startedMs.get(name) ?? Number.NaN) - sentMs;
}

async function approveBare(stack: RunningStack, bare: BareWorker): Promise<number> {
  const handle = await bare.startWorkflow(1);
  await untilAtRest(stack.connection, handle.workflowId);
  const sentMs = Date.now();
  await handle.signal('go');
  await handle.result();
  return bare.lastStartMs() - sentMs;
}

async function measure(stack: RunningStack, bare: BareWorker): Promise<void> {
  const byHttp: Send = (_sessionId, approval) => stack.decide(approval, 'approve');
  const bySignal: Send = (sessionId, { approvalId, argumentsDigest }) =>
    stack.workflow(sessionId).signal('decide', { approvalId, decision: 'approve', argumentsDigest });
  const ways = { http: [] as Pair<number>[], signal: [] as Pair<number>[] };
  for (let index = 0; index < SAMPLES; index += 1) {
    const http = await approve(stack, `http${index}`, byHttp);
    const other = await approveBare(stack, bare);
    const signal = await approve(stack, `signal${index}`, bySignal);
    ways.http.push({ ours: http, other });
    ways.signal.push({ ours: signal, other });
  }
  for (const [by, pairs] of Object.entries(ways)) {
    const values = pairedValues('bare workflow, signal to activity', pairs);
    report({ name: 'approval-latency/body-started', unit: 'ms', parameters: { by }, ...values });
  }
}

async function main(): Promise<void> {
  await onStackAndBareWorker({ tools: [note] }, measure);
}

void main();
