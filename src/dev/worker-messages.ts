import type { FeedEvent } from '../core/ports/feed';

/** What a worker child found in the project. */
export interface LoadedProject {
  /** Names of its agents, sorted. */
  readonly agents: readonly string[];
  /** How many tools these have together. */
  readonly tools: number;
  /** Longest timeout of its tools, in milliseconds: so long a write that has begun may take. */
  readonly longestToolMs: number;
}

/** What the parent process of `holdpoint dev` and its worker child say to each other over IPC. */
export type WorkerChildMessage =
  /** The project's code is loaded and without fault; the child waits to be told to start. */
  | { readonly type: 'loaded'; readonly project: LoadedProject; readonly files: readonly string[] }
  | { readonly type: 'ready' }
  /** The child ends; `files` are those of the project it had loaded by then. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly files: readonly string[] }
  | { readonly type: 'feed'; readonly event: FeedEvent };

/** `start`: poll for work. `stop`: take no more, finish what has begun, and end. */
export interface WorkerOrder {
  readonly type: 'start' | 'stop';
}
