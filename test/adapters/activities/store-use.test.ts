import type { WorkerStore } from '../../../src/core/ports/worker-store';
import { type ActivityWorld, createActivityWorld, first, readTool } from '../../support/activities/activity-world';
import { calls } from '../../support/activities/scripted-model';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
  world.useTools([readTool()]);
  await world.open();
});

afterEach(async () => {
  await world.close();
});

/** The store, and how often each of its functions was called: each call is one transaction. */
function counted<Store extends WorkerStore>(store: Store): { readonly store: Store; readonly counts: object } {
  const counts: Record<string, number> = {};
  const counting = new Proxy(store, {
    get: (target, name, receiver) => {
      counts[String(name)] = (counts[String(name)] ?? 0) + 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  return { store: counting, counts };
}

test('a round with one read writes twice and looks into the store five times', async () => {
  world.model.add(calls(['look', { text: 'a' }]), calls(['look', { text: 'b' }]));
  await world.callTool(first((await world.callModel()).calls));
  const { store, counts } = counted(world.store);
  world.use({ store });

  await world.callTool(first((await world.callModel({ round: 2 })).calls));

  expect(counts).toEqual({ append: 2, readEntries: 1, readEntriesOf: 2, readDigestSalt: 2 });
});
