import { DEFAULT_TIMING } from '../../../src/activities/activity-dependencies';
import { HoldpointError } from '../../../src/core/errors';
import type { SessionStore } from '../../../src/core/ports/session-store';
import {
  type ActivityWorld,
  createActivityWorld,
  failureOf,
  first,
  readTool,
} from '../../support/activities/activity-world';
import { calls, says } from '../../support/activities/scripted-model';

const OUTAGE_MS = 2_000;

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

/** The store, with one operation that can't be done until `isBack` says so. */
function without(store: SessionStore, operation: keyof SessionStore, isBack: () => boolean): SessionStore {
  return new Proxy(store, {
    get(target, property, receiver) {
      if (property === operation && !isBack()) {
        return () => Promise.reject(new HoldpointError('store_unavailable', 'down'));
      }
      return Reflect.get(target, property, receiver);
    },
  });
}

test('attempts that an outage ended are given up before they count as lost with their worker', async () => {
  await world.open();
  world.use({ store: without(world.store, 'append', () => false) });

  const failures = [];
  for (const attempt of [1, 9, 10, 11]) {
    failures.push(await failureOf(world.callModel({}, { attempt })));
  }

  expect(failures.map(({ code }) => code)).toEqual(Array(4).fill('store_unavailable'));
  // The workflow pauses after the last one and begins a new activity, whose attempts count from 1.
  expect(failures.map(({ retryable }) => retryable)).toEqual([true, true, false, false]);
});

test('a call whose result had to wait for the store costs the turn what its body took', async () => {
  await world.open();
  let isBack = true;
  const store = without(world.store, 'append', () => isBack);
  const execute = async () => {
    isBack = false;
    setTimeout(() => {
      isBack = true;
    }, OUTAGE_MS);
    return 'seen';
  };
  world.useTools([readTool({ execute })]);
  world.use({ store, timing: { ...DEFAULT_TIMING, storePatienceMs: 60_000 } });
  world.model.add(calls(['look', { text: 'a' }]), says('done'));
  const reply = await world.callModel();

  const result = await world.callTool(first(reply.calls));

  expect(result.activeMs).toBeLessThan(OUTAGE_MS);
});
