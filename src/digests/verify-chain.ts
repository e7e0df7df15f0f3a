import { type EntryDigestParts, entryDataDigest, entryDigest } from './entry-digest';

/** An entry as it lies in the store. `dataText` (JSON) and `salt` are null when the entry was erased. */
export interface ChainedEntry extends EntryDigestParts {
  readonly digest: string;
  readonly dataText: string | null;
  readonly salt: Uint8Array | null;
}

/** The first place where a log is not what was written. */
export interface ChainFault {
  readonly seq: number;
  readonly fault: 'seq_gap' | 'chain_broken' | 'data_changed' | 'digest_wrong';
}

/** Checks a whole log, ascending from seq 1: sequences, links, data and digests. Undefined when all is well. */
export function verifyChain(entries: readonly ChainedEntry[]): ChainFault | undefined {
  let previousDigest: string | null = null;
  for (const [index, entry] of entries.entries()) {
    const { seq, salt, dataText } = entry;
    if (seq !== index + 1) {
      return { seq, fault: 'seq_gap' };
    }
    if (entry.previousDigest !== previousDigest) {
      return { seq, fault: 'chain_broken' };
    }
    if (salt !== null && dataText !== null && entryDataDigest(salt, JSON.parse(dataText)) !== entry.dataDigest) {
      return { seq, fault: 'data_changed' };
    }
    if (entryDigest(entry) !== entry.digest) {
      return { seq, fault: 'digest_wrong' };
    }
    previousDigest = entry.digest;
  }
  return undefined;
}
