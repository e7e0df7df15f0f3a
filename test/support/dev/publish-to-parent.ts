/**
 * A worker child that says far more than its parent reads: a step begins, 160 MB of fragments follow, then a commit and
 * the end of the step. Prints how much its memory grew by that, and once more when it has published to a closed channel.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { createParentFeed } from '../../../src/dev/parent-feed';
import { committed, modelBegins, stepEnds, textChunk } from '../feed/feed-events';

const FRAGMENTS = 40_000;
const TEXT = 'x'.repeat(4_096);

async function main(): Promise<void> {
  const feed = createParentFeed(process);
  const closed = new Promise((resolve) => process.once('disconnect', resolve));
  const before = process.memoryUsage().rss;
  feed.publish(modelBegins());
  for (let index = 0; index < FRAGMENTS; index += 1) {
    feed.publish(textChunk(index, TEXT));
    if (index % 100 === 0) {
      feed.publish(modelBegins());
      feed.publish(committed());
      await nextTick();
    }
  }
  feed.publish(committed());
  feed.publish(stepEnds());
  process.stdout.write(`${process.memoryUsage().rss - before}\n`);
  await closed;
  feed.publish(stepEnds());
  process.stdout.write('survived\n');
}

void main();
