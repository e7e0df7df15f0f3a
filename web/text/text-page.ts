import { type TextPart, visibleText } from './visible-text';

/** How much of a text is put on the screen at once. */
export interface PageLimit {
  /** UTF-16 units, as a string's length counts them. */
  readonly characters: number;
  readonly lines: number;
}

/** What is shown of a long text before anybody asks for more. */
export const FOLDED: PageLimit = { characters: 400, lines: 4 };
/** What one "Show more" adds. */
export const FULL_PAGE: PageLimit = { characters: 65_536, lines: 1_000 };

export interface TextLine {
  readonly parts: readonly TextPart[];
  /** True when a line break follows in the text; false at its end, and where a page ends inside a line. */
  readonly hasBreak: boolean;
}

export interface TextPage {
  readonly lines: readonly TextLine[];
  /** Where the next page starts; null at the end of the text. */
  readonly nextStart: number | null;
}

/** A mark costs an element of its own, so a page of nothing but marks is shorter. */
const MAX_MARKS = 2_000;

/** The lines of a text from `start` on, as many as the limit lets in: one at least, so that every text has an end. */
export function textPage(text: string, start: number, limit: PageLimit): TextPage {
  const lines: TextLine[] = [];
  const end = start + limit.characters;
  let marksLeft = MAX_MARKS;
  let position = start;
  while (position < text.length && position < end && lines.length < limit.lines && marksLeft > 0) {
    const breakAt = text.indexOf('\n', position);
    const lineEnd = breakAt === -1 ? text.length : breakAt;
    // A line that fits into a page of its own is not torn.
    if (lines.length > 0 && lineEnd > end && lineEnd - position <= limit.characters) {
      break;
    }
    const { parts, length } = visibleText(text.slice(position, wholeCharacterEnd(text, lineEnd, end)), marksLeft);
    marksLeft -= parts.filter(({ kind }) => kind === 'mark').length;
    position += length;
    const hasBreak = position === breakAt;
    lines.push({ parts, hasBreak });
    position += hasBreak ? 1 : 0;
  }
  return { lines, nextStart: position < text.length ? position : null };
}

/** Where to cut: at the end of the line or of the page, never between the two halves of one character. */
function wholeCharacterEnd(text: string, lineEnd: number, pageEnd: number): number {
  if (lineEnd <= pageEnd) {
    return lineEnd;
  }
  const last = text.charCodeAt(pageEnd - 1);
  return last >= 0xd800 && last <= 0xdbff ? pageEnd + 1 : pageEnd;
}
