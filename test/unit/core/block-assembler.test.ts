import { type AssembledReply, createBlockAssembler } from '../../../src/core/block-assembler';
import type { Chunk } from '../../../src/core/chunks';
import type { FinishReason } from '../../../src/core/messages';

const position = { turn: 3, round: 2 };
const done = (reason: FinishReason = 'stop'): Chunk => ({ type: 'finish', reason });
const text = (index: number, part: string): Chunk => ({ type: 'text-delta', index, text: part });
const thought = (index: number, part: string): Chunk => ({ type: 'reasoning-delta', index, text: part });
const call = (index: number, { id, name, args }: { id?: string; name?: string; args?: string } = {}): Chunk => ({
  type: 'tool-call-delta',
  index,
  ...(id === undefined ? {} : { providerCallId: id }),
  ...(name === undefined ? {} : { name }),
  ...(args === undefined ? {} : { argumentsText: args }),
});

function assemble(...chunks: readonly Chunk[]): AssembledReply {
  const assembler = createBlockAssembler(position);
  for (const chunk of chunks) {
    assembler.push(chunk);
  }
  return assembler.finish();
}

function codeOf(...chunks: readonly Chunk[]): unknown {
  try {
    assemble(...chunks);
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}

/** `[id, name, arguments]` of each call; undefined for an id the provider did not send. */
function callsOf(...chunks: readonly Chunk[]): readonly unknown[] {
  return assemble(...chunks, done('tool-calls')).blocks.flatMap((block) =>
    block.type === 'tool-call' ? [[block.providerCallId, block.name, block.argumentsText]] : [],
  );
}

describe('createBlockAssembler', () => {
  it('joins deltas into blocks in the order they were first seen', () => {
    const reply = assemble(
      thought(4, 'think'),
      text(9, 'Hel'),
      call(2, { id: 'a', name: 'read', args: '{"p":' }),
      text(9, 'lo'),
      call(2, { args: '1}' }),
      { type: 'block-raw', index: 4, raw: { signature: 's' } },
      done('tool-calls'),
    );
    expect(reply.blocks).toEqual([
      { type: 'reasoning', text: 'think', raw: { signature: 's' } },
      { type: 'text', text: 'Hello' },
      { type: 'tool-call', callId: 't3-r2-c1', providerCallId: 'a', name: 'read', argumentsText: '{"p":1}' },
    ]);
  });

  it('numbers calls from 1 by first appearance, whatever their index', () => {
    const reply = assemble(call(7, { name: 'f' }), call(1, { name: 'g' }), call(7, { args: '{}' }), done());
    expect(reply.blocks).toMatchObject([
      { callId: 't3-r2-c1', name: 'f', argumentsText: '{}' },
      { callId: 't3-r2-c2', name: 'g', argumentsText: '' },
    ]);
  });

  it('takes a first index of 1 and sparse ones (B001, B002)', () => {
    expect(callsOf(call(1, { id: 'c1', name: 'read', args: '' }), call(1, { args: '{"p":1}' }))).toEqual([
      ['c1', 'read', '{"p":1}'],
    ]);
    expect(callsOf(call(0, { id: 'a', name: 'f', args: '{}' }), call(5, { id: 'b', name: 'g', args: '{}' }))).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ]);
  });

  it('never joins two ids or two names at one index into one call (B002, B031)', () => {
    const two = [
      call(0, { id: 'a', name: 'f', args: '{"k":' }),
      call(0, { id: 'b', name: 'g', args: '{}' }),
      call(0, { id: 'a', args: '1}' }),
    ];
    expect(callsOf(...two)).toEqual([
      ['a', 'f', '{"k":1}'],
      ['b', 'g', '{}'],
    ]);
    expect(callsOf(call(0, { name: 'f', args: '{}' }), call(0, { name: 'g', args: '[]' }))).toEqual([
      [undefined, 'f', '{}'],
      [undefined, 'g', '[]'],
    ]);
  });

  it('keeps two calls with one id at two indexes (B037)', () => {
    expect(
      callsOf(call(0, { id: 'x', name: 'f', args: '1' }), call(1, { id: 'x', name: 'f', args: '1' })),
    ).toHaveLength(2);
  });

  it('takes an empty id or name as none and keeps the first of each (B007, B008)', () => {
    expect(callsOf(call(0, { id: 'a', name: 'f' }), call(0, { id: '', name: '', args: '{}' }))).toEqual([
      ['a', 'f', '{}'],
    ]);
    expect(callsOf(call(0, { id: '', name: 'f' }), call(0, { id: 'a', name: 'f', args: '{}' }))).toEqual([
      ['a', 'f', '{}'],
    ]);
    expect(callsOf(call(0, { name: 'f', args: '{"a":' }), call(0, { args: '1}' }))).toEqual([
      [undefined, 'f', '{"a":1}'],
    ]);
  });

  it('drops a slot in which nothing was ever said, and keeps a call that has no name (B035, B047)', () => {
    expect(callsOf(call(0, { id: 'a', name: 'f', args: '{}' }), call(1), call(2, { args: '  ' }))).toHaveLength(1);
    expect(callsOf(call(0, { id: 'a', args: '{}' }))).toEqual([['a', '', '{}']]);
  });

  it('keeps broken and half arguments as they are (B013, B074)', () => {
    expect(callsOf(call(0, { name: 'pay', args: '{"amount":1}' }), call(0, { args: '00}' }))).toEqual([
      [undefined, 'pay', '{"amount":1}00}'],
    ]);
  });

  it('drops blank text and keeps reasoning that is only raw data (B056, B071)', () => {
    const reply = assemble(
      text(0, ''),
      text(1, ' \n'),
      thought(2, ''),
      { type: 'block-raw', index: 2, raw: { data: 'encrypted' } },
      thought(3, ' '),
      text(4, 'ok\n'),
      done(),
    );
    expect(reply.blocks).toEqual([
      { type: 'reasoning', text: '', raw: { data: 'encrypted' } },
      { type: 'text', text: 'ok\n' },
    ]);
  });

  it('keeps raw data that comes before its block', () => {
    const reply = assemble(
      { type: 'block-raw', index: 0, raw: { signature: 's' } },
      call(0, { name: 'f', args: '{}' }),
      { type: 'block-raw', index: 8, raw: { nobody: true } },
      done(),
    );
    expect(reply.blocks).toMatchObject([{ name: 'f', raw: { signature: 's' } }]);
  });

  it('separates text and reasoning that share an index (B032)', () => {
    const reply = assemble(thought(0, 'a'), text(0, 'x'), thought(0, 'b'), thought(1, 'c'), text(0, 'y'), done());
    expect(reply.blocks).toMatchObject([
      { type: 'reasoning', text: 'ab' },
      { type: 'text', text: 'xy' },
      { type: 'reasoning', text: 'c' },
    ]);
  });

  it('says tool-calls exactly when there are calls (B103, B104)', () => {
    expect(assemble(call(0, { name: 'f' }), done('stop')).finish).toBe('tool-calls');
    expect(assemble(text(0, 'x'), done('tool-calls')).finish).toBe('stop');
    expect(assemble(text(0, 'x'), done('stop')).finish).toBe('stop');
  });

  it.each<FinishReason>(['max-tokens', 'content-filter', 'unheard-of' as FinishReason])(
    'keeps text and drops every call after %s',
    (reason) => {
      const reply = assemble(text(0, 'x'), call(1, { id: 'a', name: 'pay', args: '{}' }), done(reason));
      expect(reply).toMatchObject({ blocks: [{ type: 'text', text: 'x' }], finish: reason });
      expect(assemble(call(0, { name: 'pay' }), done(reason)).blocks).toEqual([]);
    },
  );

  it('refuses a stream without finish, even with whole calls in it (B034)', () => {
    expect(codeOf()).toBe('model_stream_cut');
    expect(codeOf(text(0, 'all of it'))).toBe('model_stream_cut');
    expect(codeOf(call(0, { id: 'a', name: 'delete_all', args: '{}' }))).toBe('model_stream_cut');
  });

  it('refuses a reply that stopped and holds nothing (B116)', () => {
    expect(codeOf(done())).toBe('model_empty_response');
    expect(codeOf(text(0, '\n'), call(1), done('tool-calls'))).toBe('model_empty_response');
    expect(assemble(thought(0, 'only a thought'), done()).blocks).toHaveLength(1);
  });

  it('ignores everything but usage after the first finish', () => {
    const reply = assemble(
      text(0, 'a'),
      done('stop'),
      text(0, 'b'),
      call(1, { name: 'f' }),
      { type: 'block-raw', index: 0, raw: {} },
      done('max-tokens'),
      { type: 'usage', usage: { inputTokens: 5, outputTokens: 6 } },
    );
    expect(reply).toEqual({
      blocks: [{ type: 'text', text: 'a' }],
      finish: 'stop',
      usage: { inputTokens: 5, outputTokens: 6 },
    });
  });

  it('takes the last count that says something, field by field (B142, B143, B145, B146)', () => {
    const usage = (inputTokens: number, outputTokens: number, cacheReadTokens?: number): Chunk => ({
      type: 'usage',
      usage: { inputTokens, outputTokens, ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }) },
    });
    const usageOf = (...chunks: Chunk[]) => assemble(text(0, 'x'), ...chunks, done()).usage;
    expect(usageOf()).toEqual({ inputTokens: 0, outputTokens: 0 });
    expect(usageOf(usage(10, 3), usage(10, 7), usage(10, 12))).toEqual({ inputTokens: 10, outputTokens: 12 });
    expect(usageOf(usage(120, 0, 9), usage(0, 7))).toEqual({ inputTokens: 120, outputTokens: 7, cacheReadTokens: 9 });
    expect(usageOf(usage(Number.NaN, -3, 0))).toEqual({ inputTokens: 0, outputTokens: 0 });
  });

  it('joins a surrogate pair split over deltas and replaces lone halves (B028)', () => {
    const reply = assemble(
      text(0, 'a\ud83d'),
      text(0, '\ude00b\udc00'),
      thought(1, '\ud800'),
      call(2, { id: 'i\ud800', name: 'f\udfff', args: '"\ud83d\ude00\ud83d"' }),
      done(),
    );
    expect(reply.blocks).toMatchObject([
      { text: 'a\u{1f600}b\ufffd' },
      { text: '\ufffd' },
      { providerCallId: 'i\ufffd', name: 'f\ufffd', argumentsText: '"\u{1f600}\ufffd"' },
    ]);
  });

  it('gives what was streamed so far, without calls, blanks and raw data', () => {
    const assembler = createBlockAssembler(position);
    expect(assembler.partial()).toEqual([]);
    for (const chunk of [
      thought(0, 'hm'),
      { type: 'block-raw', index: 0, raw: { signature: 's' } } as const,
      text(1, 'Half a sen\ud83d'),
      text(2, ' '),
      call(3, { name: 'pay', args: '{}' }),
    ]) {
      assembler.push(chunk);
    }
    expect(assembler.partial()).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Half a sen\ufffd' },
    ]);
  });

  it('gives the same reply when it is asked again', () => {
    const assembler = createBlockAssembler(position);
    assembler.push(text(0, 'a'));
    assembler.push(done());
    expect(assembler.finish()).toEqual(assembler.finish());
  });
});
