import { LiveBlock } from '../live-block';
import type { Output } from '../output';
import { foreignLines } from '../text/foreign-text';
import { wrapLine } from '../text/wrap-text';

const DEFAULT_COLUMNS = 80;

/**
 * What a chat shows: lines that stay, and below them a reply that grows and what runs at the moment. While a person is
 * asked for something, lines wait, so that nothing is written into what they type.
 */
export class ChatScreen {
  private readonly output: Output;
  private readonly block: LiveBlock;
  private waiting: (() => void)[] | undefined;
  private reply = '';
  private status = '';

  constructor(output: Output) {
    this.output = output;
    this.block = new LiveBlock(output.write, output.rows);
  }

  /** Lines that a terminal may be given; they stay. */
  say(...lines: readonly string[]): void {
    this.whenFree(() => {
      this.block.draw(this.replyLines());
      this.block.settle();
      this.reply = '';
      this.output.write(`${lines.flatMap((line) => this.wrapped(line)).join('\n')}\n`);
      this.draw();
    });
  }

  /** The reply as far as it has come; foreign text. */
  showReply(text: string): void {
    this.whenFree(() => {
      this.reply = text;
      this.draw();
    });
  }

  /** The reply is complete: it stays. */
  keepReply(text: string): void {
    this.whenFree(() => {
      this.reply = text;
      this.block.draw(this.replyLines());
      this.block.settle();
      this.reply = '';
      this.draw();
    });
  }

  /** What runs, in one line that a terminal may be given; '' when nothing does. */
  showStatus(text: string): void {
    this.whenFree(() => {
      this.status = text;
      this.draw();
    });
  }

  /** From now on everything waits; the reply so far stays and what runs is taken away. */
  hold(): void {
    this.block.draw(this.replyLines());
    this.block.settle();
    this.reply = '';
    this.waiting = [];
  }

  /** Shows what has waited. */
  release(): void {
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    for (const show of waiting) {
      show();
    }
  }

  private whenFree(show: () => void): void {
    if (this.waiting === undefined) {
      show();
    } else {
      this.waiting.push(show);
    }
  }

  private draw(): void {
    const status = this.status === '' ? [] : this.wrapped(this.output.style('quiet', `· ${this.status}`));
    this.block.draw([...this.replyLines(), ...status]);
  }

  private replyLines(): readonly string[] {
    return this.reply === '' ? [] : foreignLines(this.reply).flatMap((line) => this.wrapped(line));
  }

  private wrapped(line: string): readonly string[] {
    return wrapLine(line, (this.output.columns() ?? DEFAULT_COLUMNS) - 1);
  }
}
