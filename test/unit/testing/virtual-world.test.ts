import { VirtualWorld } from '../../../src/testing/virtual-world';
import type { SessionState } from '../../../src/workflows/agent-session-state';
import type { Command } from '../../../src/workflows/plan-commands';
import type { CommandResult } from '../../../src/workflows/session-event';

const COMMAND: Command = { type: 'open-session' };
const RESULT: CommandResult = { type: 'command-failed', command: COMMAND, code: 'internal' };
const STATE = {} as SessionState;
const nobody = async () => false;

function worldThat(run: (signal: AbortSignal) => Promise<unknown>, onQuiet = nobody): VirtualWorld {
  const world = new VirtualWorld({
    startMs: 1_000,
    run: async (_command, _state, signal) => {
      await run(signal);
      return RESULT;
    },
    onQuiet,
  });
  return world;
}

test('time stands still while something works', async () => {
  let finish: () => void = () => undefined;
  const world = worldThat(() => new Promise<void>((resolve) => (finish = resolve)));
  let isDone = false;
  void world.start(COMMAND, STATE).result.then(() => (isDone = true));
  const waited = world.waitUntil(() => isDone, 500);
  finish();
  expect(await waited).toBe(true);
  expect(world.nowMs()).toBe(1_000);
});

test('pauses and time limits are jumped over in their order', async () => {
  const woken: (readonly [string, number])[] = [];
  const world: VirtualWorld = worldThat(async (signal) => {
    await world.sleep(700, signal);
    woken.push(['pause', world.nowMs()]);
  });
  void world.start(COMMAND, STATE);
  expect(await world.waitUntil(() => false, 300)).toBe(false);
  expect([world.nowMs(), woken]).toEqual([1_300, []]);
  expect(await world.waitUntil(() => woken.length > 0, 10_000)).toBe(true);
  expect(woken).toEqual([['pause', 1_700]]);
});

test('people act before time passes', async () => {
  let acts = 0;
  const world = worldThat(nobody, async () => {
    acts += 1;
    return acts < 3;
  });
  expect(await world.waitUntil(() => acts === 2, 500)).toBe(true);
  expect(world.nowMs()).toBe(1_000);
  expect(await world.waitUntil(() => false, 500)).toBe(false);
  expect(world.nowMs()).toBe(1_500);
});

test('a cancel reaches what works and what pauses', async () => {
  const world: VirtualWorld = worldThat((signal) =>
    world.sleep(700, signal).catch((error: unknown) => reasons.push(error)),
  );
  const reasons: unknown[] = [];
  const started = world.start(COMMAND, STATE);
  started.cancel();
  expect(await started.result).toBe(RESULT);
  expect(reasons).toMatchObject([{ name: 'CancelledFailure', message: 'CANCELLED' }]);
  expect(world.nowMs()).toBe(1_000);
});

test('a wait for nothing at all is a fault, not a hang', async () => {
  await expect(worldThat(nobody).waitUntil(() => false)).rejects.toMatchObject({ code: 'internal' });
});
