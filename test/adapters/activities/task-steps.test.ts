import type { SessionOptions } from '../../../src/core/sessions';
import {
  type ActivityWorld,
  at,
  createActivityWorld,
  first,
  readTool,
  writeTool,
} from '../../support/activities/activity-world';
import { runNamed } from '../../support/activities/fake-temporal';
import { calls, says } from '../../support/activities/scripted-model';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

const TASK = { mode: 'task' } as const;
const openWith = (options: SessionOptions) =>
  world.run(({ openSession }) => openSession({ v: 1, agent: 'tester', ...options }));
const endTurn = () =>
  world.run((activities) =>
    activities.endTurn({ v: 1, turn: 1, outcome: 'completed', rounds: 1, calls: 0, activeMs: 5 }),
  );
const close = (textOfTurn?: number) =>
  world.run((activities) =>
    activities.closeSession({ v: 1, reason: 'task_ended', ...(textOfTurn === undefined ? {} : { textOfTurn }) }),
  );

/** A session that a gateway stored and a run opened. */
async function stored(options: SessionOptions): Promise<void> {
  const message = { messageId: 'm1', mode: 'followup', content: 'hello', principal: 'local' } as const;
  const start = {
    ...world.key,
    agent: 'tester',
    message: { ...message, provenance: 'authenticated' as const },
    at: at(),
  };
  await world.store.createSession({ ...start, ...options });
  expect(await openWith({})).toMatchObject({ status: 'opened' });
}

describe('limits', () => {
  test('of a session narrow what the workflow is told, at the opening and with the first reply', async () => {
    const limits = { roundsPerTurn: 2, activeMsPerTurn: 1_000 };
    await stored({ limits });
    expect(await openWith({})).toMatchObject({ limits: { ...limits, callsPerTurn: 15 } });
    world.model.add(says('done'));
    expect(await world.callModel()).toMatchObject({ limits: { ...limits, callsPerTurn: 15 } });
  });

  test('of a session decide how long its questions stay open', async () => {
    await stored({ limits: { approvalExpiryMs: 60_000 } });
    world.useTools([writeTool()]);
    world.model.add(calls(['change', { text: 'a' }]));
    const plan = first((await world.callModel()).calls);
    const untilMs = Date.parse(plan.expiresAt ?? '') - Date.now();
    expect(untilMs).toBeGreaterThan(0);
    expect(untilMs).toBeLessThanOrEqual(60_000);
  });

  test('of a session cut the results of its calls', async () => {
    await stored({ limits: { resultBytes: 100 } });
    world.useTools([readTool({ execute: async () => 'x'.repeat(1_000) })]);
    world.model.add(calls(['look', { text: 'a' }]));
    await world.callTool(first((await world.callModel()).calls));
    const result = first(await world.entriesOf('tool.result'));
    expect(Buffer.byteLength(result.data.text)).toBe(100);
  });

  test('that widen refuse the first start, and never do anything', async () => {
    world.use({ createsMissingRows: true });
    const refused = { v: 1, status: 'refused', code: 'invalid_start' };
    expect(await openWith({ limits: { roundsPerTurn: 6 } })).toEqual(refused);
    expect(await openWith({ limits: { resultBytes: 0 } })).toEqual(refused);
    expect(await world.store.readSession(world.key)).toBeUndefined();
    expect(await openWith({ limits: { roundsPerTurn: 5 } })).toMatchObject({ status: 'opened' });
  });

  test('that became wider than the agent since, are let be and held to what the agent has', async () => {
    await stored({ limits: { roundsPerTurn: 4 } });
    world.useTools([readTool()], { roundsPerTurn: 3 });
    expect(await openWith({ limits: { roundsPerTurn: 4 } })).toMatchObject({ limits: { roundsPerTurn: 3 } });
  });
});

test('a start that says something else than the row does is refused', async () => {
  await stored({});
  expect(await openWith(TASK)).toEqual({ v: 1, status: 'refused', code: 'invalid_start' });
});

describe('the text of a task', () => {
  async function ended(text: string): Promise<void> {
    await stored(TASK);
    world.model.add(says(text));
    await world.callModel();
    await endTurn();
  }

  test('is read only where it is asked for', async () => {
    await ended('all done');
    expect(await close()).not.toHaveProperty('text');
    expect(await close(1)).toMatchObject({ status: 'closed', text: 'all done' });
  });

  test('has at most 64 KiB, never half a character, and says that it was cut', async () => {
    await ended('é'.repeat(40_000));
    const { text = '' } = (await close(1)) as { readonly text?: string };
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(Buffer.byteLength(text)).toBeGreaterThan(65_000);
    expect(text).toMatch(/^é+\n\[cut: the whole output has 80000 bytes\]$/);
  });

  test('of exactly 64 KiB is whole', async () => {
    await ended('x'.repeat(65_536));
    expect(await close(1)).toMatchObject({ text: 'x'.repeat(65_536) });
  });

  test('is empty when the agent never said anything', async () => {
    await stored(TASK);
    await world.run((activities) =>
      activities.endTurn({
        v: 1,
        turn: 1,
        opening: { messageId: 'm1', mode: 'followup' },
        outcome: 'failed',
        code: 'model_auth',
        rounds: 1,
        calls: 0,
        activeMs: 0,
      }),
    );
    expect(await close(1)).toMatchObject({ text: '' });
  });
});

test('a run that is started for a task that has ended is told how, and a repeat of its end says the same', async () => {
  await stored(TASK);
  const opening = { messageId: 'm1', mode: 'followup' } as const;
  const end = {
    v: 1,
    turn: 1,
    opening,
    outcome: 'failed',
    code: 'model_auth',
    rounds: 1,
    calls: 0,
    activeMs: 0,
  } as const;
  const first = await world.run((activities) => activities.endTurn(end));
  expect(first).toMatchObject({ outcome: 'failed', code: 'model_auth' });
  expect(await world.run((activities) => activities.endTurn({ ...end, outcome: 'completed' }))).toEqual(first);
  expect(await openWith(TASK)).toMatchObject({
    task: { ended: { turn: 1, messageId: 'm1', outcome: 'failed', code: 'model_auth' } },
  });
});

test.each<[string, SessionOptions, boolean]>([
  ['a task goes on', TASK, false],
  ['a conversation was interrupted', {}, true],
])('where a start took the place of a run, %s', async (_what, options, isInterrupted) => {
  await stored(options);
  world.model.add(calls(['look', { text: 'a' }]));
  await world.callModel();
  await world.store.claimRun(world.key, world.runId, 'run-0');
  const status = 'TERMINATED_BY_NEXT_RUN';
  world.temporal.runs.set('run-0', runNamed('run-0', { status, firstRunId: 'run-0' }));
  const opened = await openWith(options);
  expect(opened).toMatchObject({ openTurn: { turn: 1 } });
  expect(opened.status === 'opened' && opened.openTurn?.interrupted === true).toBe(isInterrupted);
});
