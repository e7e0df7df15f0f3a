import { type SessionKey, workflowIdOf } from './ids';
import type { FeedEvent, FeedScope, FeedSource } from './ports/feed';

/** Those who listen to a feed, by session or by tenant. */
export interface FeedListeners {
  /**
   * Adds a listener, which is told the events in `first` before this returns. The returned function takes it away again,
   * and may be called twice.
   */
  add(scope: FeedScope, listener: Listener, first?: readonly FeedEvent[]): () => void;
  /** Hands an event to everybody whom it concerns. What a listener throws is dropped. */
  tell(event: FeedEvent): void;
  /** Says `committed` to everybody, as after a time in which events were lost; see `CommittedEvent`. */
  tellAllToLook(): void;
}

type Listener = Parameters<FeedSource['subscribe']>[1];

/** An object of its own for each, since one function may listen twice. */
interface Subscription {
  readonly scope: FeedScope;
  readonly listener: Listener;
}

/** Listeners of one process. */
export function createFeedListeners(): FeedListeners {
  const byScope = new Map<string, Set<Subscription>>();
  const tellThose = (name: string, eventFor: (subscription: Subscription) => FeedEvent): void => {
    for (const subscription of [...(byScope.get(name) ?? [])]) {
      // An earlier listener may have ended this subscription just now.
      if (byScope.get(name)?.has(subscription)) {
        tellOne(subscription.listener, eventFor(subscription));
      }
    }
  };
  return {
    add: (scope, listener, first = []) => {
      for (const event of first) {
        tellOne(listener, event);
      }
      const name = nameOf(scope);
      const subscription = { scope, listener };
      byScope.set(name, (byScope.get(name) ?? new Set()).add(subscription));
      return () => {
        const members = byScope.get(name);
        members?.delete(subscription);
        if (members?.size === 0) {
          byScope.delete(name);
        }
      };
    },
    tell: (event) => {
      for (const name of [workflowIdOf(event), event.tenant]) {
        tellThose(name, () => event);
      }
    },
    tellAllToLook: () => {
      for (const name of [...byScope.keys()]) {
        tellThose(name, ({ scope: { tenant, sessionId = '' } }) => ({
          ...({ tenant, sessionId } as SessionKey),
          type: 'committed',
        }));
      }
    },
  };
}

function tellOne(listener: Listener, event: FeedEvent): void {
  try {
    listener(event);
  } catch {
    // The listener's own trouble; the next one must hear the event all the same.
  }
}

/** Ids hold no slash, so names of sessions and tenants never meet. */
function nameOf({ tenant, sessionId }: FeedScope): string {
  return sessionId === undefined ? tenant : `${tenant}/${sessionId}`;
}
