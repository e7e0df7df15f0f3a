import { HoldpointError } from '../../../src/core/errors';
import { type ActivityWorld, createActivityWorld, failureOf, writeTool } from '../../support/activities/activity-world';
import { approvedWrite, triesBegun } from '../../support/activities/writes';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
  await world.open();
});

afterEach(async () => {
  await world.close();
});

async function types(): Promise<readonly string[]> {
  return (await world.entries())
    .filter(({ callId }) => callId !== undefined)
    .map(({ key }) => key.slice('t1.r1.'.length));
}

test('an attempt that is not the current one any more starts nothing, and says that it did not', async () => {
  const tool = writeTool();
  const plan = await approvedWrite(world, tool);
  world.temporal.answers.push('gone');

  expect(await failureOf(world.callTool(plan))).toMatchObject({ code: 'call_busy' });

  expect(tool.ran).toEqual([]);
  expect((await types()).slice(-2)).toEqual(['c1.started.1', 'c1.not_run.1']);
  expect(await world.callTool(plan, {}, { attempt: 2 })).toMatchObject({ status: 'success' });
  expect(tool.ran).toEqual(['a']);
  expect((await world.entriesOf('tool.started')).map(({ data }) => data.try)).toEqual([1, 2]);
});

test('without an answer from Temporal it is asked again before anything starts', async () => {
  const tool = writeTool();
  const plan = await approvedWrite(world, tool);
  world.temporal.answers.push('no_answer', 'current');

  expect(await world.callTool(plan)).toMatchObject({ status: 'success' });
  expect(world.temporal.answers).toEqual([]);
});

test('an answer that came too slowly is asked for again', async () => {
  const tool = writeTool();
  const plan = await approvedWrite(world, tool);
  let asked = 0;
  world.temporal.answers.push(
    async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_050));
      return 'current';
    },
    async () => {
      asked += 1;
      return 'current';
    },
  );

  expect(await world.callTool(plan)).toMatchObject({ status: 'success' });
  expect(asked).toBe(2);
});

test('a slow attempt that wakes up late finds the result of the other, and runs nothing', async () => {
  const tool = writeTool({ idempotent: true });
  const plan = await approvedWrite(world, tool);
  let wake = (): void => undefined;
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  world.temporal.answers.push(async () => {
    await asleep;
    return 'gone';
  });

  const slow = world.callTool(plan);
  await triesBegun(world, 1);
  const other = await world.callTool(plan, {}, { attempt: 2 });
  wake();

  expect(other).toMatchObject({ status: 'success' });
  expect(await failureOf(slow)).toMatchObject({ code: 'call_busy' });
  expect(tool.ran).toEqual(['a']);
});

test('two attempts that race begin one after the other: the second waits for the lease of the first', async () => {
  let finish = (): void => undefined;
  const running = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const tool = writeTool({
    execute: async () => {
      await running;
      return 'done';
    },
  });
  const plan = await approvedWrite(world, tool);

  const firstAttempt = world.callTool(plan);
  await triesBegun(world, 1);
  const second = await failureOf(world.callTool(plan, {}, { attempt: 2 }));
  finish();

  expect(second).toMatchObject({ code: 'call_busy', retryable: true });
  expect(await firstAttempt).toMatchObject({ status: 'success' });
  expect(tool.ran).toEqual(['a']);
});

test('no effect starts while the store can not record it', async () => {
  const tool = writeTool();
  const plan = await approvedWrite(world, tool);
  const { store } = world;
  world.use({
    store: { ...store, beginTry: () => Promise.reject(new HoldpointError('store_unavailable', 'The store is down.')) },
  });

  expect(await failureOf(world.callTool(plan))).toMatchObject({ code: 'store_unavailable', retryable: true });
  expect(tool.ran).toEqual([]);
});

test('a lost acknowledgement of the begin record is no second try', async () => {
  const tool = writeTool();
  const plan = await approvedWrite(world, tool);
  const { store } = world;
  let isLost = false;
  world.use({
    store: {
      ...store,
      beginTry: async (fence, input) => {
        const outcome = await store.beginTry(fence, input);
        if (!isLost) {
          isLost = true;
          throw new HoldpointError('store_unavailable', 'The answer was lost.');
        }
        return outcome;
      },
    },
  });

  expect(await world.callTool(plan)).toMatchObject({ status: 'success' });
  expect(await world.entriesOf('tool.started')).toHaveLength(1);
  expect(tool.ran).toEqual(['a']);
});
