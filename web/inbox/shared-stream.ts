import { followApprovals, type StreamEvent } from './approval-stream';

const NAME = 'holdpoint.approvals';

/** What tabs tell each other: an event of the stream, or that one has just opened and knows nothing yet. */
type TabMessage = { readonly type: 'joined' } | { readonly type: 'event'; readonly event: StreamEvent };

/**
 * Follows the approvals with one connection per browser: a browser opens only six to one host, and a seventh tab would
 * hang. One tab holds the connection and tells the others; when it goes, the next takes over. Runs for the life of the
 * page.
 */
export function shareApprovalStream(listener: (event: StreamEvent) => void): void {
  const channel = new BroadcastChannel(NAME);
  let isConnected = false;
  let holdsConnection = false;
  let lastServerTime = '';

  const tell = (message: TabMessage) => channel.postMessage(message);
  const handle = (event: StreamEvent) => {
    isConnected = event.type !== 'closed';
    if ('serverTime' in event) {
      lastServerTime = event.serverTime;
    }
    listener(event);
    tell({ type: 'event', event });
  };

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'event' && !holdsConnection) {
      listener(data.event);
    } else if (data.type === 'joined' && holdsConnection && isConnected) {
      // The others read their list again, which is harmless.
      tell({ type: 'event', event: { type: 'hello', serverTime: lastServerTime } });
    }
  };
  tell({ type: 'joined' });
  void navigator.locks.request(NAME, () => {
    holdsConnection = true;
    followApprovals(handle);
    // Never resolves: the browser gives the lock to another tab when this one is gone.
    return new Promise<never>(() => undefined);
  });
}
