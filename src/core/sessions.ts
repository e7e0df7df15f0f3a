import type { Usage } from './messages';

/** What a session is doing, as HTTP shows it. */
export type SessionStatus = 'idle' | 'running' | 'waiting_for_approval' | 'blocked' | 'closed';

/** How a turn ended. It comes from state, never from the model's prose. */
export const TURN_OUTCOMES = [
  'completed',
  'cancelled',
  'timeout',
  'max_rounds',
  'max_calls',
  'loop_detected',
  'max_tokens',
  'budget_exceeded',
  'blocked',
  'failed',
  'interrupted',
] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/** `followup` = a turn of its own · `steer` = next round of the running turn · `inject` = next round, wakes nothing. */
export const MESSAGE_MODES = ['followup', 'steer', 'inject'] as const;
export type MessageMode = (typeof MESSAGE_MODES)[number];

/** A session as a client reads it; everything in it was read from the store. */
export interface SessionView {
  readonly sessionId: string;
  readonly agent: string;
  readonly status: SessionStatus;
  /** Why a blocked session is blocked: an error code. */
  readonly blockedCode?: string;
  /** The open turn, or null. */
  readonly turn: number | null;
  readonly round: number | null;
  readonly lastTurn: { readonly turn: number; readonly outcome: TurnOutcome; readonly code?: string } | null;
  readonly openApprovals: readonly string[];
  readonly usage: Usage;
  readonly lastSeq: number;
  readonly createdAt: string;
}

/** Characters of JSON a message may have when a client posts it: 1 MiB of UTF-8. */
export const MAX_MESSAGE_BYTES = 1_048_576;
/** Bytes of text a plain Temporal client may put into a `message` signal. */
export const MAX_SIGNAL_TEXT_BYTES = 16_384;
