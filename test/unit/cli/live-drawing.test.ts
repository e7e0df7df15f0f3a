import { Terminal } from '@xterm/headless';
import { LiveReply } from '../../../src/cli/chat/live-reply';
import { LiveBlock } from '../../../src/cli/live-block';
import { ScreenLines } from '../../../src/cli/screen-lines';
import type { ChunkView } from '../../../src/core/http-answers';

/** A terminal of 40 columns and 6 rows. */
class Screen {
  written = '';
  private readonly terminal = new Terminal({ cols: 40, rows: 6, convertEol: true, allowProposedApi: true });
  private drawn: Promise<void> = Promise.resolve();

  readonly write = (bytes: string) => {
    this.written += bytes;
    this.drawn = new Promise((resolve) => this.terminal.write(bytes, resolve));
  };

  async lines(): Promise<readonly string[]> {
    await this.drawn;
    const { active } = this.terminal.buffer;
    const all = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
    return all.slice(0, all.findLastIndex((line) => line !== '') + 1);
  }
}

function chunk(place: Partial<Omit<ChunkView, 'chunk'>>, text: string): ChunkView {
  return { turn: 1, round: 1, attempt: 1, index: 0, ...place, chunk: { type: 'text-delta', index: 0, text } };
}

describe('the reply that is being written', () => {
  it('grows by its fragments, and a higher attempt replaces what a lower one said', () => {
    const reply = new LiveReply();
    expect(reply.accept(chunk({ index: 0 }, 'Hel'))).toBe('Hel');
    expect(reply.accept(chunk({ index: 1 }, 'lo'))).toBe('Hello');
    expect(reply.accept(chunk({ attempt: 2, index: 0 }, 'Good'))).toBe('Good');
    expect(reply.accept(chunk({ attempt: 1, index: 2 }, ' there'))).toBeUndefined();
    expect(reply.accept(chunk({ attempt: 2, index: 1 }, ' day'))).toBe('Good day');
    expect(reply.accept(chunk({ round: 2, index: 0 }, 'Next'))).toBe('Next');
  });

  it('says a fragment once, and that some are missing', () => {
    const reply = new LiveReply();
    reply.accept(chunk({ index: 0 }, 'a'));
    expect(reply.accept(chunk({ index: 0 }, 'a'))).toBeUndefined();
    expect(reply.accept(chunk({ index: 2 }, 'c'))).toBe('a … c');
  });
});

describe('the last lines of a terminal', () => {
  it('are replaced where they changed, and what stood above them stays', async () => {
    const screen = new Screen();
    const block = new LiveBlock(screen.write, () => 6);
    screen.write('above\n');
    block.draw(['one', 'two']);
    const before = screen.written.length;
    block.draw(['one', 'two!', 'three']);
    expect(await screen.lines()).toEqual(['above', 'one', 'two!', 'three']);
    expect(screen.written.slice(before)).not.toContain('one');
    block.draw(['other']);
    expect(await screen.lines()).toEqual(['above', 'other']);
  });

  it('stay once they are settled', async () => {
    const screen = new Screen();
    const block = new LiveBlock(screen.write, () => 6);
    block.draw(['kept']);
    block.settle();
    block.draw(['new']);
    expect(await screen.lines()).toEqual(['kept', 'new']);
  });

  it('are written anew below when the change has left the screen at the top', async () => {
    const screen = new Screen();
    const block = new LiveBlock(screen.write, () => 6);
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`);
    block.draw(lines);
    const changed = lines.with(2, 'changed');
    block.draw(changed);
    expect((await screen.lines()).slice(-10)).toEqual(changed);
  });
});

describe('a screen of lines', () => {
  it('writes lines that changed and no others, and clears those that are gone', async () => {
    const screen = new Screen();
    const lines = new ScreenLines(screen.write);
    lines.open();
    lines.draw(['one', 'two', 'three']);
    const before = screen.written.length;
    lines.draw(['one', 'TWO']);
    expect(screen.written.slice(before)).toMatch(/TWO/);
    expect(screen.written.slice(before)).not.toMatch(/one/);
    expect(await screen.lines()).toEqual(['one', 'TWO']);
    lines.draw(['one', 'TWO']);
    lines.forget();
    lines.draw(['one']);
    expect(await screen.lines()).toEqual(['one']);
    lines.close();
    expect(await screen.lines()).toEqual([]);
  });
});
