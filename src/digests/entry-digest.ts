import { createHash } from 'node:crypto';
import { canonicalJson } from '../core/canonical-json';
import { digestOf } from './digest-of';

/** What the digest of an entry covers. `dataDigest` stays when data and salt are erased, so the chain stays checkable. */
export interface EntryDigestParts {
  /** Digest of the entry before; null for the first one. */
  readonly previousDigest: string | null;
  readonly tenant: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly key: string;
  readonly type: string;
  readonly turn: number | null;
  readonly round: number | null;
  readonly callId: string | null;
  /** ISO time as stored. */
  readonly at: string;
  readonly dataDigest: string;
}

/**
 * Digest of the canonical JSON of an entry's data under its own salt; base64url, 43 characters.
 * Throws HoldpointError `not_canonical` for data without canonical JSON.
 */
export function entryDataDigest(salt: Uint8Array, data: unknown): string {
  return createHash('sha256').update(salt).update(canonicalJson(data)).digest('base64url');
}

/** Digest of an entry, chained to the one before; base64url, 43 characters. */
export function entryDigest(parts: EntryDigestParts): string {
  const { previousDigest, tenant, sessionId, seq, key, type, turn, round, callId, at, dataDigest } = parts;
  return digestOf([previousDigest, tenant, sessionId, seq, key, type, turn, round, callId, at, dataDigest]);
}
