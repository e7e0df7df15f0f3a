import { isRecord } from '../core/json';
import { readFeedEvent } from './read-feed-event';
import type { WorkerChildMessage } from './worker-messages';

/**
 * Reads what came from the worker child. Tools of the project run in that process and can send anything, so nothing is
 * believed: what is no message of ours is undefined.
 */
export function readWorkerMessage(value: unknown): WorkerChildMessage | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { type, code, message } = value;
  switch (type) {
    case 'ready':
      return { type };
    case 'failed':
      return typeof code === 'string' && typeof message === 'string' ? { type, code, message } : undefined;
    case 'feed': {
      const event = readFeedEvent(value['event']);
      return event === undefined ? undefined : { type, event };
    }
    default:
      return undefined;
  }
}
