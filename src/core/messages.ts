import type { CallId } from './ids';
import type { JsonObject } from './json';

/**
 * What a message is made of. The map is open: a package may add a block type by declaration merging, and everything
 * that switches over blocks must say what it does with one it does not know.
 */
export interface BlockMap {
  readonly text: { readonly type: 'text'; readonly text: string };
  /** Reasoning as the provider gave it; `raw` goes back byte for byte to the same provider route only. */
  readonly reasoning: { readonly type: 'reasoning'; readonly text: string; readonly raw?: JsonObject };
  readonly 'tool-call': {
    readonly type: 'tool-call';
    readonly callId: CallId;
    /** The provider's id, kept for the wire; absent when it sent none. */
    readonly providerCallId?: string;
    readonly name: string;
    /** The arguments exactly as the model wrote them. */
    readonly argumentsText: string;
    readonly raw?: JsonObject;
  };
  readonly 'tool-result': {
    readonly type: 'tool-result';
    readonly callId: CallId;
    readonly name: string;
    readonly text: string;
    readonly isError: boolean;
  };
  readonly image: { readonly type: 'image'; readonly mediaType: string; readonly blobId: string };
}

export type Block = BlockMap[keyof BlockMap];
export type BlockOf<Type extends keyof BlockMap> = BlockMap[Type];

/** One message of a model request. Results travel in `user` messages; there is no third role. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly Block[];
}

/** Why a model reply ended. The map is open like `BlockMap`. */
export interface FinishReasonMap {
  readonly stop: true;
  readonly 'tool-calls': true;
  readonly 'max-tokens': true;
  readonly 'content-filter': true;
}

export type FinishReason = keyof FinishReasonMap;

/** Tokens of one model call. The counts are disjoint: `input` excludes what was read from or written to a cache. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** The sum of two usages. */
export function addUsage(left: Usage, right: Usage): Usage {
  const cacheReadTokens = (left.cacheReadTokens ?? 0) + (right.cacheReadTokens ?? 0);
  const cacheWriteTokens = (left.cacheWriteTokens ?? 0) + (right.cacheWriteTokens ?? 0);
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
  };
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };
