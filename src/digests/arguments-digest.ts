import { createHmac } from 'node:crypto';
import { canonicalJson } from '../core/canonical-json';
import type { JsonValue } from '../core/json';

/** What a decision about a call is bound to. */
export interface ArgumentsDigestParts {
  readonly tenant: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonValue;
}

/**
 * The digest that stands for a call's arguments in Temporal and in decisions; base64url, 43 characters. `salt` is the
 * session's digest salt: without it short arguments can't be guessed from a digest, and it is erased with the session.
 * Throws HoldpointError `not_canonical` for arguments without canonical JSON.
 */
export function argumentsDigest(salt: Uint8Array, parts: ArgumentsDigestParts): string {
  const { tenant, sessionId, callId, tool, args } = parts;
  const text = canonicalJson(['holdpoint.arguments.v1', tenant, sessionId, callId, tool, args]);
  return createHmac('sha256', salt).update(text).digest('base64url');
}
