import type { SessionKey } from '../../../core/ids';
import type { ChunkEvent } from '../../../core/ports/feed';
import { chunkWeight } from './chunk-weight';

export type SessionChunk = SessionKey & ChunkEvent;

/** How much is kept, see `chunkWeight`. */
export interface ChunkBounds {
  /** Of one step; its oldest fragments go first. */
  readonly perStep: number;
  /** Of all steps together; the step that began to speak first loses all of its own. */
  readonly inAll: number;
}

/** The fragments of the replies that are being written, as far as they fit. */
export interface KeptChunks {
  /** Keeps a fragment of a step. A new attempt replaces the one before; what a lower one still says is not kept. */
  keep(step: string, chunk: SessionChunk): void;
  /** What is kept of a step, in the order it came. */
  of(step: string): readonly SessionChunk[];
  drop(step: string): void;
}

interface KeptAttempt {
  readonly attempt: number;
  readonly chunks: SessionChunk[];
  weight: number;
}

export function createKeptChunks({ perStep, inAll }: ChunkBounds): KeptChunks {
  const attempts = new Map<string, KeptAttempt>();
  let weightInAll = 0;

  const add = (kept: KeptAttempt, weight: number): void => {
    kept.weight += weight;
    weightInAll += weight;
  };
  const drop = (step: string): void => {
    weightInAll -= attempts.get(step)?.weight ?? 0;
    attempts.delete(step);
  };
  const attemptFor = (step: string, { attempt, index }: SessionChunk): KeptAttempt | undefined => {
    const known = attempts.get(step);
    if (known !== undefined && known.attempt > attempt) {
      return undefined;
    }
    if (known?.attempt === attempt && index > 0) {
      return known;
    }
    drop(step);
    const kept = { attempt, chunks: [], weight: 0 };
    attempts.set(step, kept);
    return kept;
  };
  return {
    keep(step, chunk) {
      const kept = attemptFor(step, chunk);
      if (kept === undefined) {
        return;
      }
      kept.chunks.push(chunk);
      add(kept, chunkWeight(chunk.chunk));
      while (kept.weight > perStep) {
        const oldest = kept.chunks.shift();
        add(kept, oldest === undefined ? -kept.weight : -chunkWeight(oldest.chunk));
      }
      for (const first of attempts.keys()) {
        if (weightInAll <= inAll) {
          break;
        }
        drop(first);
      }
    },
    of: (step) => attempts.get(step)?.chunks ?? [],
    drop,
  };
}
