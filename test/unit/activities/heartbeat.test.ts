import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat } from '../../../src/activities/heartbeat';

test('an attempt that is over soon sends no heartbeat, a longer one does again and again', async () => {
  const environment = new MockActivityEnvironment();
  let beats = 0;
  const thirdBeat = new Promise<void>((resolve) => {
    environment.on('heartbeat', () => {
      beats += 1;
      if (beats === 3) {
        resolve();
      }
    });
  });
  await environment.run(() => withHeartbeat(60_000, async () => undefined));
  expect(beats).toBe(0);
  await environment.run(() => withHeartbeat(5, () => thirdBeat));
  expect(beats).toBeGreaterThanOrEqual(3);
});
