import type { ChunkView } from '../../core/http-answers';

/** What stands for fragments that were lost on the way; the stored reply replaces all of it. */
const GAP = ' … ';

/** The reply that is being written, put together from its fragments. */
export class LiveReply {
  private place: readonly [turn: number, round: number, attempt: number] = [0, 0, 0];
  private nextIndex = 0;
  private text = '';

  /**
   * Takes a fragment and returns the text so far: that of the newest attempt of the newest round, since a higher attempt
   * voids what a lower one said. Undefined when the fragment changes nothing; foreign text.
   */
  accept({ turn, round, attempt, index, chunk }: ChunkView): string | undefined {
    const order = compare([turn, round, attempt], this.place);
    if (order < 0) {
      return undefined;
    }
    if (order > 0) {
      this.place = [turn, round, attempt];
      this.nextIndex = 0;
      this.text = '';
    }
    if (index < this.nextIndex) {
      return undefined;
    }
    const lost = index > this.nextIndex ? GAP : '';
    this.nextIndex = index + 1;
    this.text += lost + (chunk.type === 'text-delta' ? chunk.text : '');
    return this.text;
  }
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((part, at) => part !== right[at]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
