import { entryDataDigest, entryDigest } from '../../../src/digests/entry-digest';
import { type ChainedEntry, verifyChain } from '../../../src/digests/verify-chain';

function chainOf(texts: readonly string[]): ChainedEntry[] {
  const entries: ChainedEntry[] = [];
  for (const [index, dataText] of texts.entries()) {
    const salt = new Uint8Array(16).fill(index);
    const parts = {
      previousDigest: entries.at(-1)?.digest ?? null,
      tenant: 't',
      sessionId: 's',
      seq: index + 1,
      key: `k${index}`,
      type: 'user.message',
      turn: 1,
      round: null,
      callId: null,
      at: '2026-01-01T00:00:00.000Z',
      dataDigest: entryDataDigest(salt, JSON.parse(dataText)),
    };
    entries.push({ ...parts, digest: entryDigest(parts), salt, dataText });
  }
  return entries;
}

function changed(seq: number, change: Partial<ChainedEntry>): ChainedEntry[] {
  return chainOf(['1', '2', '3']).map((entry) => (entry.seq === seq ? { ...entry, ...change } : entry));
}

describe('verifyChain', () => {
  it('accepts an empty and an intact log', () => {
    expect(verifyChain([])).toBeUndefined();
    expect(verifyChain(chainOf(['1', '2', '3']))).toBeUndefined();
  });

  it('accepts a log whose data was erased', () => {
    expect(verifyChain(changed(2, { salt: null, dataText: null }))).toBeUndefined();
  });

  it.each<[string, ChainedEntry[], number, string]>([
    ['a missing entry', chainOf(['1', '2', '3']).filter(({ seq }) => seq !== 2), 3, 'seq_gap'],
    ['a log that does not start at 1', chainOf(['1', '2']).slice(1), 2, 'seq_gap'],
    ['changed data', changed(2, { dataText: '9' }), 2, 'data_changed'],
    ['a changed time', changed(2, { at: '2027-01-01T00:00:00.000Z' }), 2, 'digest_wrong'],
    ['another tenant', changed(1, { tenant: 'u' }), 1, 'digest_wrong'],
    ['a link that was cut', changed(3, { previousDigest: 'x' }), 3, 'chain_broken'],
    ['a replaced entry', [...chainOf(['1', '9']), ...chainOf(['1', '2', '3']).slice(2)], 3, 'chain_broken'],
  ])('finds %s', (_name, entries, seq, fault) => {
    expect(verifyChain(entries)).toEqual({ seq, fault });
  });
});
