import type { ChainedEntry } from '../../src/digests/verify-chain';

/** The log of a session as it lies in the rows of `entries`, for `verifyChain`. */
export function chainOfRows(rows: readonly Readonly<Record<string, unknown>>[]): ChainedEntry[] {
  return rows.map((row) => ({
    previousDigest: row['previous_digest'] as string | null,
    tenant: String(row['tenant']),
    sessionId: String(row['session']),
    seq: Number(row['seq']),
    key: String(row['key']),
    type: String(row['type']),
    turn: row['turn'] as number | null,
    round: row['round'] as number | null,
    callId: row['call_id'] as string | null,
    at: String(row['at']),
    dataDigest: String(row['data_digest']),
    digest: String(row['digest']),
    dataText: row['data'] as string | null,
    salt: row['salt'] === null ? null : Buffer.from(row['salt'] as Uint8Array),
  }));
}
