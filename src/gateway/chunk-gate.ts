import type { ChunkEvent } from '../core/ports/feed';

/** Says which fragments a reader may still see, given what it was shown. */
export interface ChunkGate {
  /** Notes an entry that the reader is shown. */
  passEntry(entry: { readonly type: string; readonly turn?: number; readonly round?: number }): void;
  /** True when the reader may see the fragment, which is then noted as shown. */
  passChunk(chunk: Pick<ChunkEvent, 'turn' | 'round' | 'attempt'>): boolean;
}

type Place = readonly [turn: number, round: number, attempt: number];

/**
 * A gate for one reader. Fragments are let through in the order of their turns, rounds and attempts only: none after
 * the reply of its round or the end of its turn, none of an attempt after one of a higher attempt.
 */
export function createChunkGate(): ChunkGate {
  let floor: Place = [0, 0, 0];
  const raise = (place: Place): void => {
    floor = isBefore(floor, place) ? place : floor;
  };
  return {
    passEntry({ type, turn = 0, round = 0 }) {
      if (type === 'model.reply') {
        raise([turn, round + 1, 0]);
      } else if (type === 'turn.ended') {
        raise([turn + 1, 0, 0]);
      }
    },
    passChunk({ turn, round, attempt }) {
      const place: Place = [turn, round, attempt];
      const passes = !isBefore(place, floor);
      if (passes) {
        raise(place);
      }
      return passes;
    },
  };
}

function isBefore(left: Place, right: Place): boolean {
  const [turns, rounds, attempts] = [left[0] - right[0], left[1] - right[1], left[2] - right[2]];
  return (turns || rounds || attempts) < 0;
}
