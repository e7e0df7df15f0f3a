import { canonicalJson } from '../core/canonical-json';
import type { Block } from '../core/messages';

/** Calls of one reply that are kept at all; each is answered in the one batch the reply is written with. */
const MAX_STORED_CALLS = 256;

/**
 * Blocks as the log can hold them. A provider's raw data without canonical JSON is left out: the block is then sent
 * back without it, which a provider may refuse, but the reply itself is not lost. So are calls beyond all measure.
 */
export function storableBlocks(blocks: readonly Block[]): readonly Block[] {
  const calls = blocks.filter(({ type }) => type === 'tool-call');
  const dropped = new Set(calls.slice(MAX_STORED_CALLS));
  return blocks.filter((block) => !dropped.has(block)).map(storableBlock);
}

function storableBlock(block: Block): Block {
  if (!('raw' in block) || block.raw === undefined || hasCanonicalJson(block.raw)) {
    return block;
  }
  const { raw: _unstorable, ...rest } = block;
  return rest;
}

function hasCanonicalJson(value: unknown): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
