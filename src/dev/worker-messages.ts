/** What the parent process of `holdpoint dev` and its worker child say to each other over IPC. */
export type WorkerChildMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };

export interface WorkerStopMessage {
  readonly type: 'stop';
}
