import type { FeedChunk } from '../../../core/ports/feed';

/** What a fragment takes besides its text. */
const FRAME_WEIGHT = 64;

/** About how much memory a fragment takes: its characters, and 64 for itself. */
export function chunkWeight(chunk: FeedChunk): number {
  const texts =
    chunk.type === 'tool-call-delta' ? [chunk.providerCallId, chunk.name, chunk.argumentsText] : [chunk.text];
  return texts.reduce((sum, text = '') => sum + text.length, FRAME_WEIGHT);
}
