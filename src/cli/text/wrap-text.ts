import stringWidth from 'string-width';

/** Below this, wrapping makes text unreadable; it is left to the terminal. */
const MIN_WIDTH = 20;
const ESCAPE = '\u001b';
/** A colour of our own, which has no width, or one character. */
const PIECES = new RegExp(`${ESCAPE}\\[[0-9;]*m|[\\s\\S]`, 'gu');

/** How many columns a line takes. */
export function widthOf(line: string): number {
  return stringWidth(line);
}

/** Fills up with spaces to a number of columns. */
export function padded(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - widthOf(line)));
}

/**
 * Breaks a line into lines of at most `columns`, behind spaces where there are some; nothing is left out. The following
 * lines begin with `indent`. Without `columns` the line stays whole, as it should where no person reads it.
 */
export function wrapLine(line: string, columns: number | undefined, indent = ''): readonly string[] {
  if (columns === undefined || columns < MIN_WIDTH + indent.length || widthOf(line) <= columns) {
    return [line];
  }
  const lines: string[] = [];
  let current = '';
  let width = 0;
  // Where the line may be broken: behind its last space that has something before it.
  let breakAt = 0;
  for (const [piece] of line.matchAll(PIECES)) {
    const pieceWidth = widthOfPiece(piece);
    if (width + pieceWidth > columns) {
      const end = breakAt > 0 ? breakAt : current.length;
      lines.push(current.slice(0, end));
      current = indent + current.slice(end);
      width = widthOf(current);
      breakAt = 0;
    }
    const hasText = current.length > (lines.length === 0 ? 0 : indent.length);
    current += piece;
    width += pieceWidth;
    breakAt = piece === ' ' && hasText ? current.length : breakAt;
  }
  return [...lines, current];
}

/** Most characters are plain, and looking up the others takes a while. */
function widthOfPiece(piece: string): number {
  return piece.length === 1 && piece >= ' ' && piece <= '~' ? 1 : widthOf(piece);
}
