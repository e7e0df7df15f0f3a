import type { TemporalServer } from '../../../src/dev/start-temporal-server';
import { countByType } from '../../support/api-driver';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { Gate, gatedTools } from '../../support/gated-tools';
import { startLimitedTemporalServer } from '../../support/limited-temporal-server';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

const newFolder = temporaryFolders();
const gate = new Gate();
/** From this many events on the server suggests to continue as new; by default it is 4,096. */
const SUGGESTED_EVENTS = 120;
const MESSAGES = 200;

let temporal: TemporalServer;
let stack: RunningStack;

beforeAll(async () => {
  temporal = await startLimitedTemporalServer(newFolder(), {
    'limit.historyCount.suggestContinueAsNew': SUGGESTED_EVENTS,
  });
  stack = await RunningStack.start({ temporalAddress: temporal.address, tools: gatedTools(gate, 60_000) });
});

afterAll(async () => {
  await stack.stop();
  await temporal.stop();
});

async function runIdOf(sessionId: string): Promise<string> {
  return (await stack.workflow(sessionId).describe()).runId;
}

/** Sends signals that say nothing, one workflow task each, until the session goes on in another run. */
async function pushIntoNextRun(sessionId: string): Promise<void> {
  const first = await runIdOf(sessionId);
  await waitUntil(
    async () => {
      await stack.workflow(sessionId).signal('noise', {});
      return runIdOf(sessionId);
    },
    (runId) => runId !== first,
  );
}

test.concurrent(`${MESSAGES} messages that arrive while runs follow each other are ${MESSAGES} turns, in order`, async () => {
  const sessionId = await stack.startSession('hello');
  const first = await runIdOf(sessionId);
  const ids = Array.from({ length: MESSAGES }, (_, index) => `m-${index}`);
  for (const [index, messageId] of ids.entries()) {
    await stack.workflow(sessionId).signal('message', { messageId, content: `hello ${index}` });
  }
  await stack.untilTurnEnded(sessionId, MESSAGES + 1, 120_000);

  const entries = await stack.store.readEntries({ tenant: 'default', sessionId } as never, 0, 10_000);
  const taken = entries.flatMap((entry) => (entry.key.startsWith('m/m-') ? [entry.key.slice('m/'.length)] : []));
  expect(taken).toEqual(ids);
  expect(countByType(entries)).toMatchObject({ 'turn.started': MESSAGES + 1, 'turn.ended': MESSAGES + 1 });
  expect(new Set(turnOutcomes(entries))).toEqual(new Set(['completed']));
  expect(await runIdOf(sessionId)).not.toBe(first);
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
}, 180_000);

test.concurrent('open holds are carried into the next run, and decided there in any order', async () => {
  const sessionId = await stack.startSession('write one.txt: 1; write two.txt: 2');
  const [one, two] = await stack.pending(sessionId, 2);
  await pushIntoNextRun(sessionId);
  expect((await stack.decide(two as never, 'approve')).json?.['outcome']).toBe('taken');
  await pushIntoNextRun(sessionId);
  expect((await stack.decide(one as never, 'reject')).json?.['outcome']).toBe('taken');
  await stack.untilTurnEnded(sessionId, 1);
  const results = (await stack.entries(sessionId)).filter((entry) => entry.type === 'tool.result');
  expect(Object.fromEntries(results.map((entry) => [entry.callId, (entry.data as { status: string }).status]))).toEqual(
    {
      't1-r1-c1': 'rejected',
      't1-r1-c2': 'success',
    },
  );
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
});

test.concurrent('decisions that arrive while runs follow each other are taken', async () => {
  const sessionId = await stack.startSession('call pay_blind {"name":"carried"}');
  gate.open('carried');
  const [approval] = await stack.pending(sessionId);
  const { approvalId, argumentsDigest } = approval as NonNullable<typeof approval>;
  const noise = Array.from({ length: 150 }, () => stack.workflow(sessionId).signal('noise', {}));
  const forged = Array.from({ length: 50 }, (_, index) =>
    stack.workflow(sessionId).signal('decide', { approvalId, decision: 'approve', argumentsDigest: `forged ${index}` }),
  );
  const genuine = stack.workflow(sessionId).signal('decide', { approvalId, decision: 'approve', argumentsDigest });
  await Promise.all([...noise, ...forged, genuine]);
  await stack.untilTurnEnded(sessionId, 1);
  expect(gate.counts()).toMatchObject({ carried: 1 });
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'approval.decided': 1, 'tool.started': 1 });
});

test.concurrent('a run is not continued while a tool runs, and its result is not lost', async () => {
  const sessionId = await stack.startSession('call look {"name":"long look"}');
  await gate.reached('long look');
  const first = await runIdOf(sessionId);
  const noise = Array.from({ length: 2 * SUGGESTED_EVENTS }, () => stack.workflow(sessionId).signal('noise', {}));
  await Promise.all(noise);
  // By now the server suggests it; what the session answers to that is known once its workflow task is over.
  for (let count = 0; count < 3; count += 1) {
    await stack.workflow(sessionId).signal('noise', {});
    await waitUntil(
      () => stack.workflow(sessionId).describe(),
      ({ raw }) => raw.pendingWorkflowTask == null,
    );
  }
  expect(await runIdOf(sessionId)).toBe(first);
  gate.open('long look');
  await stack.untilTurnEnded(sessionId, 1);
  const result = (await stack.entries(sessionId)).find((entry) => entry.type === 'tool.result');
  expect(result?.data).toMatchObject({ status: 'success' });
});

test.concurrent('a hold in a run that only waited ends as interrupted when an operator terminates that run', async () => {
  const sessionId = await stack.startSession('call pay_blind {"name":"parked"}');
  await stack.pending(sessionId);
  await pushIntoNextRun(sessionId);
  await pushIntoNextRun(sessionId);
  await stack.workflow(sessionId).terminate('enough');
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['interrupted', 'completed']);
  expect(gate.counts()['parked']).toBeUndefined();
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
});

test.concurrent('a session that is cancelled and goes on in another run before it could close ends as cancelled', async () => {
  const sessionId = await stack.startSession('call look {"name":"cancelled before it went on"}');
  await gate.reached('cancelled before it went on');
  const first = await runIdOf(sessionId);
  await waitUntil(
    async () => {
      await stack.workflow(sessionId).signal('noise', {});
      return stack.workflow(sessionId).describe();
    },
    ({ historyLength }) => historyLength > SUGGESTED_EVENTS,
  );
  await stack.workflow(sessionId).cancel();
  await expect(stack.workflow(sessionId).result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(await runIdOf(sessionId)).not.toBe(first);
  expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['cancelled']);
});
