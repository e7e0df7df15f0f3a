import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { countByType } from '../../support/api-driver';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';

const PARAMETERS = z.strictObject({});
/** Longer than what a stopping worker gives to anything but writes. */
const LONG_WRITE_MS = 7_000;

/** Resolves with the next start of a tool's body. */
class Starts {
  count = 0;
  private announce: (() => void) | undefined;

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.announce = resolve;
    });
  }

  begin(): number {
    this.count += 1;
    this.announce?.();
    return this.count;
  }
}

const writes = new Starts();
const reads = new Starts();

const tools = [
  defineTool({
    name: 'long_write',
    description: 'A write that takes longer than a stopping worker gives to anything else.',
    parameters: PARAMETERS,
    effect: 'write',
    timeoutMs: 12_000,
    execute: (_args, { signal }) =>
      new Promise((resolve, reject) => {
        writes.begin();
        const timer = setTimeout(() => resolve('written'), LONG_WRITE_MS);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(new Error('stopped'));
        });
      }),
  }),
  defineTool({
    name: 'long_read',
    description: 'A read that ends at once the second time it is asked.',
    parameters: PARAMETERS,
    effect: 'read',
    timeoutMs: 12_000,
    execute: (_args, { signal }) =>
      new Promise((resolve, reject) => {
        if (reads.begin() > 1) {
          resolve('seen');
        }
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  }),
];

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools });
});

afterAll(async () => {
  await stack.stop();
});

test('a worker that stops in mid-stream stores nothing torn, and the next one asks again', async () => {
  const sessionId = await stack.startSession('slow 8');
  await stack.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
    JSON.stringify(json).includes('"request.header"'),
  );
  await stack.stopWorker();
  const stopped = (await stack.entries(sessionId)).map((entry) => entry.type);
  expect(stopped).toEqual(['session.started', 'user.message', 'turn.started', 'request.header']);
  await stack.startWorker();
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  const entries = await stack.entries(sessionId);
  expect(countByType(entries)).toEqual({
    'session.started': 1,
    'user.message': 1,
    'turn.started': 1,
    'request.header': 1,
    'model.reply': 1,
    'turn.ended': 1,
  });
  expect(JSON.stringify(entries.find((entry) => entry.type === 'model.reply')?.data)).toContain('I took 8 seconds');
});

test('a write that has begun is finished by the worker that stops', async () => {
  const sessionId = await stack.startSession('call long_write {}');
  const [approval] = await stack.pending(sessionId);
  const begun = writes.next();
  await stack.decide(approval as never, 'approve');
  await begun;
  await stack.stopWorker();
  const results = (await stack.entries(sessionId)).filter((entry) => entry.type === 'tool.result');
  expect(results.map((entry) => entry.data)).toMatchObject([{ status: 'success', text: 'written', try: 1 }]);
  await stack.startWorker();
  await stack.untilTurnEnded(sessionId, 1);
  expect(writes.count).toBe(1);
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'tool.started': 1, 'tool.result': 1 });
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
});

test('a read is given back by the worker that stops, without a result, and the next one runs it', async () => {
  const begun = reads.next();
  const sessionId = await stack.startSession('call long_read {}');
  await begun;
  await stack.stopWorker();
  expect(countByType(await stack.entries(sessionId))).not.toHaveProperty(['tool.result']);
  await stack.startWorker();
  await stack.untilTurnEnded(sessionId, 1);
  expect(reads.count).toBe(2);
  const results = (await stack.entries(sessionId)).filter((entry) => entry.type === 'tool.result');
  expect(results.map((entry) => entry.data)).toMatchObject([{ status: 'success', text: 'seen' }]);
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
});
