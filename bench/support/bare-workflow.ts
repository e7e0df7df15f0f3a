/** What Temporal costs by itself: workflows that do nothing but wait for empty activities. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { BareActivities } from './bare-worker';

const { empty } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });

/** As many rounds of two empty activities, as a model call and a tool call would be. */
export async function bareRounds(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await empty();
    await empty();
  }
}

/** Waits for a signal, then starts an activity. */
export async function bareApproval(): Promise<void> {
  let isApproved = false;
  setHandler(defineSignal('approve'), () => {
    isApproved = true;
  });
  await condition(() => isApproved);
  await empty();
}
