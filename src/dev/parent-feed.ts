import { chunkWeight } from '../adapters/feed/memory/chunk-weight';
import { workflowIdOf } from '../core/ids';
import type { FeedEvent, FeedPublisher } from '../core/ports/feed';
import type { WorkerChildMessage } from './worker-messages';

/** What the feed needs of a process with a parent: `process` itself. */
export type ParentChannel = Pick<NodeJS.Process, 'connected' | 'send'>;

/** Weight of what may be on its way to the parent, see `chunkWeight`. */
const MAX_UNDER_WAY = 1024 * 1024;
/** Weight of an event without text. */
const PLAIN_WEIGHT = 256;
/** Of this many steps and sessions the newest word waits; a parent that is that far behind is beyond help. */
const MAX_WAITING = 10_000;

/**
 * The feed of the worker child: events go to the parent by the IPC channel. While the parent does not keep up,
 * fragments are dropped, and of every step and every session's commits only the newest word waits, in order. Nothing is
 * published, and nothing thrown, once the channel is closed.
 */
export function createParentFeed(channel: ParentChannel): FeedPublisher {
  let underWay = 0;
  const waiting = new Map<string, FeedEvent>();

  const send = (event: FeedEvent): void => {
    const weight = event.type === 'chunk' ? chunkWeight(event.chunk) : PLAIN_WEIGHT;
    underWay += weight;
    const whenSent = (): void => {
      underWay -= weight;
      sendWaiting();
    };
    try {
      // The callback also takes the error of a channel that closes meanwhile; without one it would end the process.
      channel.send?.({ type: 'feed', event } satisfies WorkerChildMessage, undefined, {}, whenSent);
    } catch {
      underWay -= weight;
    }
  };
  // Whenever something was sent, so that nothing waits while there is room.
  const sendWaiting = (): void => {
    for (const [name, event] of waiting) {
      if (underWay >= MAX_UNDER_WAY) {
        return;
      }
      waiting.delete(name);
      send(event);
    }
  };
  return {
    publish(event) {
      if (!channel.connected) {
        waiting.clear();
      } else if (underWay < MAX_UNDER_WAY) {
        send(event);
      } else if (event.type !== 'chunk') {
        const name = nameOf(event);
        waiting.delete(name);
        if (waiting.size < MAX_WAITING) {
          waiting.set(name, event);
        }
      }
    },
  };
}

/** Events of one name replace each other. */
function nameOf(event: Exclude<FeedEvent, { readonly type: 'chunk' }>): string {
  return event.type === 'step' ? `${workflowIdOf(event)}/${event.step}` : workflowIdOf(event);
}
