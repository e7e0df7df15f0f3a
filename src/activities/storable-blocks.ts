import { canonicalJson } from '../core/canonical-json';
import type { Block } from '../core/messages';

/**
 * Blocks as the log can hold them. A provider's raw data without canonical JSON is left out: the block is then sent
 * back without it, which a provider may refuse, but the reply itself is not lost.
 */
export function storableBlocks(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => {
    if (!('raw' in block) || block.raw === undefined || hasCanonicalJson(block.raw)) {
      return block;
    }
    const { raw: _unstorable, ...rest } = block;
    return rest;
  });
}

function hasCanonicalJson(value: unknown): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
