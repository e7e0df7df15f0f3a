/** A screen of its own, without a cursor; what does not fit a row is not carried over into the next one. */
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const CLEAR = '\u001b[2J';
const CLEAR_REST = '\u001b[K';
/** A colour that a wrapped line left on ends with its row. */
const RESET = '\u001b[0m';

/** The whole screen as lines. Of what is drawn, only the lines that differ from what is there are written. */
export class ScreenLines {
  private readonly write: (bytes: string) => void;
  private shown: readonly string[] = [];

  constructor(write: (bytes: string) => void) {
    this.write = write;
  }

  /** Leaves what stands on the terminal aside. */
  open(): void {
    this.write(OPEN);
  }

  /** @param lines At most as many as the terminal has rows, each at most as wide. */
  draw(lines: readonly string[]): void {
    const length = Math.max(lines.length, this.shown.length);
    for (let row = 0; row < length; row += 1) {
      const line = lines[row] ?? '';
      if (line !== (this.shown[row] ?? '')) {
        this.write(`\u001b[${row + 1};1H${line}${RESET}${CLEAR_REST}`);
      }
    }
    this.shown = lines;
  }

  /** The screen holds something else, as after a change of its size: the next drawing writes every line. */
  forget(): void {
    this.write(CLEAR);
    this.shown = [];
  }

  /** Brings back what stood on the terminal. */
  close(): void {
    this.write(CLOSE);
  }
}
