import stringWidth from 'string-width';

/** Below this, wrapping makes text unreadable; it is left to the terminal. */
const MIN_WIDTH = 20;
/** An escape of our own that colours text; it has no width and may stand anywhere. */
const PIECES = /\u001b\[[0-9;]*m|[\s\S]/gu;

/** How many columns a line takes. */
export function widthOf(line: string): number {
  return stringWidth(line);
}

/** Fills up with spaces to a number of columns. */
export function padded(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - widthOf(line)));
}

/**
 * Breaks a line into lines of at most `columns`, at spaces where there are some; nothing is left out. The following
 * lines begin with `indent`. Without `columns` the line stays whole, as it should where no person reads it.
 */
export function wrapLine(line: string, columns: number | undefined, indent = ''): readonly string[] {
  if (columns === undefined || columns < MIN_WIDTH + indent.length || widthOf(line) <= columns) {
    return [line];
  }
  const lines: string[] = [];
  let rest = line;
  while (widthOf(rest) > columns) {
    const end = breakAt(rest, columns, lines.length === 0 ? 0 : indent.length);
    lines.push(rest.slice(0, end));
    rest = indent + rest.slice(rest[end] === ' ' ? end + 1 : end);
  }
  lines.push(rest);
  return lines;
}

/** Where a line is broken: at the last space that fits and leaves something before it, else where the width ends. */
function breakAt(line: string, columns: number, indentLength: number): number {
  let width = 0;
  let end = 0;
  let space = -1;
  for (const [piece] of line.matchAll(PIECES)) {
    width += widthOf(piece);
    if (piece === ' ' && end > indentLength) {
      space = end;
    }
    if (width > columns) {
      break;
    }
    end += piece.length;
  }
  return space > indentLength ? space : Math.max(end, indentLength + 1);
}
