import type { Tenant } from '../../../src/core/ids';
import { ApprovalWatcher } from '../../../src/gateway/approval-watcher';
import type { GatewayContext } from '../../../src/gateway/gateway-context';
import { STREAM_DEFAULTS } from '../../../src/gateway/stream-settings';
import { silentLogger } from '../../support/silent-logger';

/** A watcher of a store without questions, whose looks wait for `mayLook`. */
function watched() {
  const watch = { looks: 0, mayLook: Promise.resolve() };
  const context = {
    store: {
      listApprovalStatuses: async () => {
        watch.looks += 1;
        await watch.mayLook;
        return [];
      },
    },
    feed: undefined,
    tenant: 'default' as Tenant,
    clock: { nowMs: async () => 0 },
    logger: silentLogger,
    streams: { ...STREAM_DEFAULTS, lookEveryMs: 5 },
  };
  return Object.assign(watch, { watcher: new ApprovalWatcher(context as unknown as GatewayContext) });
}

it('looks no more when the last listener leaves in the middle of a look', async () => {
  const watch = watched();
  const leave = await watch.watcher.join(() => undefined);
  let allow: () => void = () => undefined;
  watch.mayLook = new Promise((resolve) => {
    allow = resolve;
  });
  while (watch.looks < 2) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  leave();
  allow();
  // Time for many looks.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(watch.looks).toBe(2);
});

it('lets all who come while it looks share the next look', async () => {
  const watch = watched();
  let allow: () => void = () => undefined;
  watch.mayLook = new Promise((resolve) => {
    allow = resolve;
  });
  const first = watch.watcher.join(() => undefined);
  while (watch.looks < 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const others = Array.from({ length: 20 }, () => watch.watcher.join(() => undefined));
  allow();
  const leaves = await Promise.all([first, ...others]);
  expect(watch.looks).toBe(2);
  for (const leave of leaves) {
    leave();
  }
});

it('forgets a listener that could not be let in, so that nothing runs for nobody', async () => {
  const watch = watched();
  watch.mayLook = Promise.reject(new Error('down'));
  await expect(watch.watcher.join(() => undefined)).rejects.toThrow('down');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(watch.looks).toBe(1);
});
