/** What Temporal costs by itself: workflows that do nothing but wait for a signal and for empty activities. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { BareActivities } from './bare-worker';

const { empty } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });

/** Waits for a signal, then runs so many empty activities, one after another. */
export async function bareActivities(count: number): Promise<void> {
  let isSignalled = false;
  setHandler(defineSignal('go'), () => {
    isSignalled = true;
  });
  await condition(() => isSignalled);
  for (let index = 0; index < count; index += 1) {
    await empty();
  }
}
