import type { JsonValue } from '../core/json';
import { digestOf } from './digest-of';

/** The place of a call and what it does; never the model's own call id, because models repeat those. */
export interface IdempotencyKeyParts {
  readonly tenant: string;
  readonly sessionId: string;
  readonly turn: number;
  readonly round: number;
  /** Position in the reply, from 1. */
  readonly ordinal: number;
  readonly tool: string;
  readonly args: JsonValue;
}

/**
 * The key a tool hands to its target, the same for every try of one call; base64url, 43 characters.
 * Throws HoldpointError `not_canonical` for arguments without canonical JSON.
 */
export function idempotencyKeyOf(parts: IdempotencyKeyParts): string {
  const { tenant, sessionId, turn, round, ordinal, tool, args } = parts;
  return digestOf(['holdpoint.idempotency-key.v1', tenant, sessionId, turn, round, ordinal, tool, args]);
}
