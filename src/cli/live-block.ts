/** The last lines on the terminal while they still change. Lines below the first difference are written again. */
export class LiveBlock {
  private readonly write: (bytes: string) => void;
  private readonly rows: () => number;
  private shown: readonly string[] = [];

  /** @param rows Rows of the terminal. What has left it at the top can't be written again. */
  constructor(write: (bytes: string) => void, rows: () => number) {
    this.write = write;
    this.rows = rows;
  }

  /** @param lines Each narrower than the terminal. */
  draw(lines: readonly string[]): void {
    const first = firstDifference(this.shown, lines);
    const rewritten = this.shown.length - first;
    if (rewritten === 0 && lines.length === this.shown.length) {
      return;
    }
    const isReachable = rewritten < this.rows();
    const up = rewritten > 0 && isReachable ? `\u001b[${rewritten}A\r\u001b[J` : '';
    const from = isReachable ? first : 0;
    this.write(
      `${up}${lines
        .slice(from)
        .map((line) => `${line}\n`)
        .join('')}`,
    );
    this.shown = lines;
  }

  /** What was drawn stays as it is; the next drawing begins below it. */
  settle(): void {
    this.shown = [];
  }
}

function firstDifference(left: readonly string[], right: readonly string[]): number {
  const index = left.findIndex((line, at) => line !== right[at]);
  return index === -1 ? left.length : index;
}
