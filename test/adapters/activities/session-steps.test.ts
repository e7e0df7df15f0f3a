import { HoldpointError } from '../../../src/core/errors';
import {
  type ActivityWorld,
  at,
  createActivityWorld,
  failureOf,
  writeTool,
} from '../../support/activities/activity-world';
import { runNamed } from '../../support/activities/fake-temporal';
import { calls, says } from '../../support/activities/scripted-model';
import { approvedWrite } from '../../support/activities/writes';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

const open = () => world.run(({ openSession }) => openSession({ v: 1, agent: 'tester' }));
const endTurn = (changes: Record<string, unknown> = {}) =>
  world.run((activities) =>
    activities.endTurn({ v: 1, turn: 1, outcome: 'completed', rounds: 1, calls: 0, activeMs: 5, ...changes }),
  );

test('a session opens with the messages nobody has taken, and without their texts', async () => {
  const opened = await world.open('the text');

  expect(opened).toMatchObject({
    status: 'opened',
    nextTurn: 1,
    inbox: [{ messageId: 'm1', mode: 'followup', principal: 'local' }],
    approvals: [],
    limits: { roundsPerTurn: 5 },
  });
  expect(world.handedOver.join('\n')).not.toContain('the text');
});

test('a session without a row is refused, unless plain Temporal clients may start one', async () => {
  expect(await open()).toEqual({ v: 1, status: 'refused', code: 'unknown_session' });
  world.use({ createsMissingRows: true });

  expect(await open()).toMatchObject({ status: 'opened', inbox: [] });
  expect((await world.entriesOf('session.started'))[0]?.data.origin).toBe('temporal');
});

test('a run that is not the current one may not open the session', async () => {
  await world.open();
  world.temporal.current = runNamed('run-2');
  await world.store.claimRun(world.key, world.runId, 'run-2');

  expect(await open()).toEqual({ v: 1, status: 'refused', code: 'fenced' });
});

test('the current run takes over from the one before, and is told of the turn that is open', async () => {
  await world.open();
  world.model.add(calls(['look', { text: 'a' }]));
  await world.callModel();
  await takenOverFrom('FAILED');

  expect(await open()).toMatchObject({ openTurn: { turn: 1, messageId: 'm1' }, nextTurn: 1 });
});

test.each(['TERMINATED', 'CANCELLED'])('a turn whose run was %s by an operator is interrupted', async (status) => {
  await world.open();
  world.model.add(calls(['look', { text: 'a' }]));
  await world.callModel();
  await takenOverFrom(status);

  expect(await open()).toMatchObject({ openTurn: { turn: 1, interrupted: true } });
});

test('a turn whose run the server ended for its size goes on', async () => {
  await world.open();
  world.model.add(calls(['look', { text: 'a' }]));
  await world.callModel();
  await takenOverFrom('TERMINATED_FOR_SIZE');

  const opened = await open();

  expect(opened).toMatchObject({ openTurn: { turn: 1 } });
  expect(opened).not.toMatchObject({ openTurn: { interrupted: true } });
});

test('a turn is interrupted, too, when the run that was stopped had only waited and the store knows the one before', async () => {
  await world.open();
  world.model.add(calls(['look', { text: 'a' }]));
  await world.callModel();
  await takenOverFrom('CONTINUED_AS_NEW');
  const parked = { status: 'CONTINUED_AS_NEW', firstRunId: 'run-0' };
  world.temporal.runs.set('run-0', runNamed('run-0', { ...parked, continuedAs: 'run-0b' }));
  world.temporal.runs.set('run-0b', runNamed('run-0b', { ...parked, continuedAs: 'run-0c' }));
  world.temporal.runs.set('run-0c', runNamed('run-0c', { status: 'TERMINATED', firstRunId: 'run-0' }));

  expect(await open()).toMatchObject({ openTurn: { turn: 1, interrupted: true } });
});

test('a reset ends the run before as a terminate does, and its turn goes on', async () => {
  await world.open();
  world.model.add(calls(['look', { text: 'a' }]));
  await world.callModel();
  await takenOverFrom('TERMINATED', world.runId);

  const opened = await open();

  expect(opened).toMatchObject({ openTurn: { turn: 1 } });
  expect(opened.status === 'opened' && opened.openTurn?.interrupted).toBeUndefined();
});

test('an outage is repeated inside and then returned, never thrown', async () => {
  await world.open();
  let asked = 0;
  const down = () => {
    asked += 1;
    return Promise.reject(new HoldpointError('store_unavailable', 'down'));
  };
  const { store } = world;
  world.use({ store: { ...store, openSession: down, endTurn: down, settleApproval: down, closeSession: down } });

  const refused = { v: 1, status: 'refused', code: 'store_unavailable' };
  expect(await open()).toEqual(refused);
  expect(asked).toBeGreaterThan(2);
  expect(await endTurn()).toEqual(refused);
  expect(await world.run((activities) => activities.closeSession({ v: 1, reason: 'idle' }))).toEqual(refused);
});

test('Temporal that can not be asked which run is current is an outage, too', async () => {
  await world.open();
  await world.store.claimRun(world.key, world.runId, 'another');
  world.use({
    temporal: {
      ...world.temporal,
      describeRun: () => Promise.reject(new HoldpointError('temporal_unavailable', 'down')),
    },
  });

  expect(await open()).toEqual({ v: 1, status: 'refused', code: 'store_unavailable' });
  expect(await failureOf(world.callModel())).toMatchObject({ code: 'temporal_unavailable', retryable: true });
});

test('a log that lacks what the workflow has seen blocks the session and says so on its row', async () => {
  await world.open();

  expect(await endTurn({ last: [99, 'x'.repeat(43)] })).toEqual({ v: 1, status: 'refused', code: 'log_behind' });
  expect(await world.store.readSession(world.key)).toMatchObject({ status: 'blocked', blockedCode: 'log_behind' });
});

test('a turn ends with its outcome, and a repeat says the same', async () => {
  await world.open();
  world.model.add(says('done'));
  await world.callModel();

  const ended = await endTurn();

  expect(ended).toMatchObject({ status: 'ended', outcome: 'completed' });
  expect(await endTurn({ outcome: 'failed' })).toEqual(ended);
  expect((await world.entriesOf('turn.ended'))[0]?.data).toMatchObject({ outcome: 'completed', activeMs: 5 });
});

test('a turn that ends before its first reply is opened first, so that its message is not lost', async () => {
  await world.open('please');

  const ended = await endTurn({
    outcome: 'failed',
    code: 'model_auth',
    opening: { messageId: 'm1', mode: 'followup' },
  });

  expect(ended).toMatchObject({ status: 'ended', outcome: 'failed' });
  expect((await world.entries()).map(({ type }) => type)).toEqual([
    'session.started',
    'user.message',
    'turn.started',
    'turn.ended',
  ]);
});

test('a turn whose message belongs to another one is nothing to end', async () => {
  await world.open();
  world.model.add(says('done'));
  await world.callModel();
  await endTurn();

  expect(await endTurn({ turn: 2, opening: { messageId: 'm1', mode: 'followup' } })).toMatchObject({ status: 'ended' });
  expect(await world.entriesOf('turn.ended')).toHaveLength(1);
});

test('messages a cancel drops are logged with their texts, once', async () => {
  await world.open();
  world.model.add(says('done'));
  await world.callModel();
  const message = {
    messageId: 'm2',
    mode: 'followup',
    content: 'later',
    principal: 'bo',
    provenance: 'authenticated',
  } as const;
  await world.store.putMessage({ ...world.key, message, at: at() });

  const discard = [
    { messageId: 'm2', mode: 'followup' },
    { messageId: 'm1', mode: 'followup' },
    { messageId: 'ghost', mode: 'followup' },
  ];
  expect(await endTurn({ outcome: 'cancelled', discard })).toMatchObject({ status: 'ended' });

  expect((await world.entriesOf('user.message')).map(({ data }) => [data.content, data.discarded])).toEqual([
    ['hello', undefined],
    ['later', true],
  ]);
});

test('the end of a turn withdraws what was asked and answers what did not begin', async () => {
  await world.open();
  const plan = await approvedWrite(world, writeTool());

  await endTurn({ outcome: 'cancelled' });

  expect((await world.entriesOf('tool.result')).map(({ data }) => data.status)).toEqual(['aborted']);
  expect(await world.callTool(plan)).toMatchObject({ status: 'aborted' });
});

test('a session that is closed says so in its log', async () => {
  await world.open();

  const closed = await world.run((activities) => activities.closeSession({ v: 1, reason: 'idle' }));

  expect(closed).toMatchObject({ status: 'closed' });
  expect((await world.entriesOf('session.closed'))[0]?.data).toEqual({ reason: 'idle' });
});

test('a decision about nothing is answered, not thrown', async () => {
  await world.open();

  expect(await world.decide('ap_nothing', 'approve', 'x')).toBe('unknown_approval');
});

test('an activity of a workflow that is no session fails for good', async () => {
  const info = { workflowExecution: { workflowId: 'no-session', runId: 'r' } };

  expect(await failureOf(world.run(({ openSession }) => openSession({ v: 1, agent: 'tester' }), info))).toMatchObject({
    code: 'invalid_start',
    retryable: false,
  });
});

/** Makes `world.runId` the current run, with another one in the row that ended in this way. */
async function takenOverFrom(status: string, firstRunId = 'run-0'): Promise<void> {
  await world.store.claimRun(world.key, world.runId, 'run-0');
  world.temporal.runs.set('run-0', runNamed('run-0', { status, firstRunId }));
}
