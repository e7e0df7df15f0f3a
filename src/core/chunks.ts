import type { JsonObject } from './json';
import type { FinishReason, Usage } from './messages';

/**
 * What an adapter streams. `index` ties deltas to their block; blocks come out in the order they were first seen.
 * Exactly one `finish` ends a stream; a stream without one was cut and counts as a failed attempt, however complete it
 * looks. Arguments stay the raw string the model wrote.
 */
export type Chunk =
  | { readonly type: 'text-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly index: number; readonly text: string }
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly providerCallId?: string;
      readonly name?: string;
      readonly argumentsText?: string;
    }
  /** Data that must go back to the provider unchanged with the block at `index`. */
  | { readonly type: 'block-raw'; readonly index: number; readonly raw: JsonObject }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: FinishReason };
