import { runSweep, type SessionExecutions, sweepOnce } from '../../../src/activities/sweep';
import { HoldpointError } from '../../../src/core/errors';
import type { SessionId, SessionKey } from '../../../src/core/ids';
import { type ActivityWorld, at, createActivityWorld, storedMessage } from '../../support/activities/activity-world';

const TIMING = { everyMs: 10_000, olderThanMs: 0 };
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const never = new AbortController().signal;

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

/** Temporal as the sweep sees it: what it was asked to do, and how each session's execution is. */
function executionsWith(status: string | undefined) {
  const asked: string[] = [];
  const executions: SessionExecutions = {
    deliver: async ({ kind, id }) => {
      asked.push(`deliver ${kind} ${id}`);
    },
    statusOf: async () => status,
    start: async ({ untakenMessageId }) => {
      asked.push(`start ${untakenMessageId ?? 'open turn'}`);
    },
  };
  return { asked, executions };
}

async function newSession(sessionId: string = world.key.sessionId): Promise<SessionKey> {
  const key = { ...world.key, sessionId: sessionId as SessionId };
  await world.store.createSession({ ...key, agent: 'tester', message: storedMessage('m1', 'hello'), at: at() });
  return key;
}

const sweep = (executions: SessionExecutions, after?: SessionKey) =>
  sweepOnce({ store: world.store, executions, logger: silent, holder: 'w1' }, TIMING, never, after);

test('what was stored and never delivered is delivered, once', async () => {
  await newSession();
  const { asked, executions } = executionsWith('RUNNING');

  await sweep(executions);
  await sweep(executions);

  expect(asked).toEqual(['deliver message m1']);
});

test.each([undefined, 'TIMED_OUT', 'FAILED', 'COMPLETED', 'TERMINATED_FOR_SIZE'])(
  'a session whose execution is %s is revived',
  async (status) => {
    const key = await newSession();
    await world.store.markDelivered(key, 'message', 'm1');
    const { asked, executions } = executionsWith(status);

    await sweep(executions);

    expect(asked).toEqual(['start m1']);
  },
);

test.each(['RUNNING', 'PAUSED'])('a session whose execution is %s is left alone', async (status) => {
  const key = await newSession();
  await world.store.markDelivered(key, 'message', 'm1');
  const { asked, executions } = executionsWith(status);

  await sweep(executions);

  expect(asked).toEqual([]);
});

test.each(['TERMINATED', 'CANCELLED'])(
  'a session that was %s by an operator waits for its next message',
  async (status) => {
    const key = await newSession();
    await world.store.markDelivered(key, 'message', 'm1');
    const { asked, executions } = executionsWith(status);

    await sweep(executions);
    await sweep(executionsWith(undefined).executions);

    expect(asked).toEqual([]);
    expect(await world.store.listUnfinished(0, 10)).toEqual([]);
  },
);

test('one worker at a time sweeps', async () => {
  await newSession();
  await world.store.takeLease('sweep', 'w2', 60_000);
  const { asked, executions } = executionsWith('RUNNING');

  await sweep(executions);

  expect(asked).toEqual([]);
});

test('many sessions that wait hide no other: the next pass goes on where this one ended', async () => {
  for (let index = 0; index < 101; index += 1) {
    const key = await newSession(`s${String(index).padStart(3, '0')}`);
    await world.store.markDelivered(key, 'message', 'm1');
  }
  const { asked, executions } = executionsWith('FAILED');

  const after = await sweep(executions);
  expect(asked).toHaveLength(100);
  expect(await sweep(executions, after)).toBeUndefined();

  expect(asked).toHaveLength(101);
});

test('a session that can not be handled holds up no other; an outage ends the pass', async () => {
  for (const sessionId of ['a', 'b', 'c', 'd', 'e']) {
    await newSession(sessionId);
  }
  const { asked, executions } = executionsWith('RUNNING');
  const down = new HoldpointError('temporal_unavailable', 'down');
  let failures = 1;
  const shaky: SessionExecutions = {
    ...executions,
    deliver: async (row) => {
      failures -= 1;
      if (failures >= 0) {
        throw down;
      }
      await executions.deliver(row);
    },
  };

  await sweep(shaky);
  expect(asked).toHaveLength(4);
  failures = 1_000;
  await newSession('f');
  await newSession('g');
  await newSession('h');

  await expect(sweep(shaky)).rejects.toBe(down);
});

test('the loop outlives a pass that fails, and ends when it is told to', async () => {
  const stop = new AbortController();
  let passes = 0;
  const store = {
    ...world.store,
    takeLease: async () => {
      passes += 1;
      if (passes === 3) {
        stop.abort();
      }
      throw new HoldpointError('store_unavailable', 'down');
    },
  };
  const { executions } = executionsWith('RUNNING');

  await runSweep({ store, executions, logger: silent, holder: 'w1' }, { everyMs: 1, olderThanMs: 0 }, stop.signal);

  expect(passes).toBe(3);
});
