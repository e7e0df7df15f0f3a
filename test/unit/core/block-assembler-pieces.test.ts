import { type AssembledReply, createBlockAssembler } from '../../../src/core/block-assembler';
import type { Chunk } from '../../../src/core/chunks';

function assemble(chunks: readonly Chunk[]): AssembledReply {
  const assembler = createBlockAssembler({ turn: 1, round: 1 });
  for (const chunk of [...chunks, { type: 'finish', reason: 'stop' } as const]) {
    assembler.push(chunk);
  }
  return assembler.finish();
}

describe('createBlockAssembler', () => {
  it('makes the same blocks however a reply is cut into deltas', () => {
    const next = randomNumbers(7);
    const whole: readonly Chunk[] = [
      { type: 'reasoning-delta', index: 0, text: 'Let me think \u{1f914} about this.' },
      { type: 'text-delta', index: 1, text: 'I will read two files and say h\u00e9llo \u{1f600}.' },
      toolCall(5, 'call-1', '{"path":"a\u{1f600}.txt"}'),
      toolCall(3, 'call-2', '{"path":"b.txt"}'),
    ];
    const expected = assemble(whole);
    for (let run = 0; run < 300; run += 1) {
      expect(assemble(shuffledPieces(whole, next))).toEqual(expected);
    }
  });
});

function toolCall(index: number, providerCallId: string, argumentsText: string): Chunk {
  return { type: 'tool-call-delta', index, providerCallId, name: 'read_file', argumentsText };
}

/** A small generator of numbers from 0 up to 1, the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Each chunk in pieces, the pieces of all chunks interleaved at random; first pieces keep their order. */
function shuffledPieces(chunks: readonly Chunk[], next: () => number): readonly Chunk[] {
  const queues = chunks.map((chunk) => piecesOf(chunk, next));
  const mixed = queues.map((queue) => queue.shift()).filter((piece) => piece !== undefined);
  while (queues.some((queue) => queue.length > 0)) {
    const piece = queues[Math.floor(next() * queues.length)]?.shift();
    if (piece !== undefined) {
      mixed.push(piece);
    }
  }
  return mixed;
}

function piecesOf(chunk: Chunk, next: () => number): Chunk[] {
  if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta' && chunk.type !== 'tool-call-delta') {
    return [chunk];
  }
  let rest = chunk.type === 'tool-call-delta' ? (chunk.argumentsText ?? '') : chunk.text;
  const pieces: Chunk[] = chunk.type === 'tool-call-delta' ? [{ ...chunk, argumentsText: '' }] : [];
  while (rest !== '') {
    // Cut by code units on purpose: a piece may end in the middle of a character.
    const piece = rest.slice(0, 1 + Math.floor(next() * 6));
    rest = rest.slice(piece.length);
    const { index } = chunk;
    pieces.push(
      chunk.type === 'tool-call-delta' ? { type: chunk.type, index, argumentsText: piece } : { ...chunk, text: piece },
    );
  }
  return pieces;
}
