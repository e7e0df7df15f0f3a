import { type ActivityWorld, createActivityWorld, failureOf, writeTool } from '../../support/activities/activity-world';
import { runNamed } from '../../support/activities/fake-temporal';
import { approvedWrite } from '../../support/activities/writes';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

const WRITES = [
  'openSession',
  'append',
  'beginTry',
  'supersedeApproval',
  'storeMessages',
  'settleApproval',
  'endTurn',
  'closeSession',
  'appendLateResult',
  'setBlocked',
] as const;

/** What happens from now on: names of writing operations as they are done, and `committed` as it is published. */
function watchCommits(): string[] {
  const happened: string[] = [];
  const { store } = world;
  const noted =
    (name: (typeof WRITES)[number]) =>
    async (...given: readonly unknown[]) => {
      const result: unknown = await Reflect.apply(store[name], store, given);
      happened.push(name);
      return result;
    };
  world.use({
    store: { ...store, ...Object.fromEntries(WRITES.map((name) => [name, noted(name)])) },
    feed: { publish: ({ type }) => void (type === 'committed' && happened.push(type)) },
  });
  return happened;
}

/** Operations that nothing was published after. */
function silent(happened: readonly string[]): readonly string[] {
  return happened.filter((name, place) => name !== 'committed' && happened[place + 1] !== 'committed');
}

test('every commit is published at once, from the opening of a session over a reviewed write to its close', async () => {
  const happened = watchCommits();
  await world.open();
  await world.run(({ storeMessages }) =>
    storeMessages({ v: 1, messages: [{ messageId: 's1', mode: 'followup', content: 'x' }] }),
  );
  await world.callTool(await approvedWrite(world, writeTool()));
  await world.run(({ endTurn }) => endTurn({ v: 1, turn: 1, outcome: 'completed', rounds: 1, calls: 1, activeMs: 1 }));
  await world.run(({ closeSession }) => closeSession({ v: 1, reason: 'closed' }));

  expect(silent(happened)).toEqual([]);
  const seen = ['openSession', 'storeMessages', 'append', 'settleApproval', 'beginTry', 'endTurn', 'closeSession'];
  expect([...new Set(happened)].sort()).toEqual(['committed', ...seen].sort());
});

test('a commit is published when a question is replaced by another one', async () => {
  await world.open();
  let state = 'before';
  const plan = await approvedWrite(world, writeTool({ precondition: async () => state }));
  state = 'after';
  const happened = watchCommits();
  await world.callTool(plan);

  expect(happened).toEqual(['supersedeApproval', 'committed']);
});

test('a commit is published when a result comes too late for its run to write it', async () => {
  await world.open();
  const plan = await approvedWrite(
    world,
    writeTool({
      execute: async () => {
        await world.store.claimRun(world.key, world.runId, 'run-2');
        world.temporal.current = runNamed('run-2');
        return 'done';
      },
    }),
  );
  const happened = watchCommits();
  await failureOf(world.callTool(plan));

  expect(happened.slice(-2)).toEqual(['appendLateResult', 'committed']);
});

test('a commit is published when a session is blocked', async () => {
  await world.open();
  const happened = watchCommits();
  await world.run(({ closeSession }) => closeSession({ v: 1, reason: 'x', last: [99, 'x'.repeat(22)] }));

  expect(happened).toEqual(['setBlocked', 'committed']);
});
