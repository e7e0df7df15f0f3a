import {
  type ActivityWorld,
  createActivityWorld,
  failureOf,
  first,
  writeTool,
} from '../../support/activities/activity-world';
import { runNamed } from '../../support/activities/fake-temporal';
import { approvedWrite, passLeases, triesBegun } from '../../support/activities/writes';

let world: ActivityWorld;
let finish: (text: string) => void;

beforeEach(async () => {
  world = await createActivityWorld();
  await world.open();
});

afterEach(async () => {
  await world.close();
});

/** A write whose body ends when the test says so. */
function slowWrite() {
  const body = new Promise<string>((resolve) => {
    finish = resolve;
  });
  return writeTool({ execute: () => body });
}

const late = async () => (await world.entriesOf('tool.late_result')).map(({ data }) => data);

test('what a write says after its call was answered otherwise is kept, and the answer stands', async () => {
  const plan = await approvedWrite(world, slowWrite());
  const attempt = world.callTool(plan);
  await triesBegun(world, 1);
  passLeases(world);
  await world.run(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));

  finish('done after all');

  expect(await attempt).toMatchObject({ status: 'outcome_unknown' });
  expect(await late()).toEqual([{ try: 1, status: 'success', text: 'done after all' }]);
  expect(first(await world.entriesOf('tool.result')).data.status).toBe('outcome_unknown');
});

test('a run that may no longer write still keeps what its write has done', async () => {
  const plan = await approvedWrite(world, slowWrite());
  const attempt = world.callTool(plan);
  await triesBegun(world, 1);
  await world.store.claimRun(world.key, world.runId, 'run-2');
  world.temporal.current = runNamed('run-2');

  finish('done');

  expect(await failureOf(attempt)).toMatchObject({ code: 'fenced', retryable: false });
  expect(await late()).toEqual([{ try: 1, status: 'success', text: 'done' }]);
  expect(await world.entriesOf('tool.result')).toHaveLength(0);
});

test('a result whose acknowledgement was lost is not kept twice', async () => {
  const plan = await approvedWrite(world, writeTool());
  const { store } = world;
  let isLost = false;
  world.use({
    store: {
      ...store,
      append: async (fence, batch) => {
        const appended = await store.append(fence, batch);
        if (batch.entries[0].type === 'tool.result' && !isLost) {
          isLost = true;
          throw Object.assign(new Error('lost'), { name: 'HoldpointError', code: 'store_unavailable' });
        }
        return appended;
      },
    },
  });

  expect(await world.callTool(plan)).toMatchObject({ status: 'success' });
  expect(await late()).toEqual([]);
});
