import { isRecord } from './json';
import type { Limits } from './limits';
import type { Usage } from './messages';
import { wellFormedText } from './well-formed-text';

/** `conversation` = any number of turns · `task` = one turn, then closed for good. */
export const SESSION_MODES = ['conversation', 'task'] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

/** Words a client keeps with a session, for itself. Never shown to a model. */
export type SessionMetadata = Readonly<Record<string, string>>;

/** What a session may be started with besides its agent and its first message. It never changes afterwards. */
export interface SessionOptions {
  /** Default `conversation`. */
  readonly mode?: SessionMode;
  /** Each at most what the agent has. Default: the agent's own. */
  readonly limits?: Partial<Limits>;
  /** At most 2 KiB as JSON. Default: none. */
  readonly metadata?: SessionMetadata;
}

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
  readonly mode: SessionMode;
  /** The limits it was started with; absent where the agent's own count. */
  readonly limits?: Partial<Limits>;
  readonly metadata?: SessionMetadata;
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
/** Bytes of text that the result of a task may carry, with the marker of a cut. */
export const MAX_TASK_TEXT_BYTES = 65_536;
/** Bytes of JSON that a session's metadata may have. */
export const MAX_METADATA_BYTES = 2_048;

/** True for what a session may keep as its metadata: an object of well-formed strings of at most 2 KiB as JSON. */
export function isSessionMetadata(value: unknown): value is SessionMetadata {
  return (
    isRecord(value) &&
    Object.entries(value).every(([name, text]) => isWellFormed(name) && isWellFormed(text)) &&
    new TextEncoder().encode(JSON.stringify(value)).length <= MAX_METADATA_BYTES
  );
}

function isWellFormed(value: unknown): boolean {
  return typeof value === 'string' && wellFormedText(value) === value;
}
