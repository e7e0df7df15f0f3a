import { createHash } from 'node:crypto';
import { canonicalJson } from '../core/canonical-json';

/** SHA-256 of bytes or UTF-8 text, base64url, 43 characters. */
export function digestOfBytes(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/**
 * SHA-256 of the canonical JSON of a value, base64url, 43 characters.
 * Throws HoldpointError `not_canonical` for a value without canonical JSON.
 */
export function digestOf(value: unknown): string {
  return digestOfBytes(canonicalJson(value));
}
