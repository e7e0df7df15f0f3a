import type { FeedEvent } from '../core/ports/feed';

/** What the parent process of `holdpoint dev` and its worker child say to each other over IPC. */
export type WorkerChildMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'feed'; readonly event: FeedEvent };

export interface WorkerStopMessage {
  readonly type: 'stop';
}
