import { ToolRefused } from '../../../core/tool-refused';
import { checkContentSize } from './check-content-size';
import { findOccurrences } from './find-occurrences';

const BYTE_ORDER_MARK = '\ufeff';
/** Lines that are named when a text occurs more than once. */
const MAX_SHOWN_LINES = 10;

/** What is to be replaced in a text. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** Every occurrence instead of the only one. */
  readonly replaceAll: boolean;
}

/**
 * The text after an edit. A byte order mark stays, and a text whose line ends are all of one kind keeps that kind: the
 * line ends of the edit are read as that one. Throws ToolRefused when the old text does not occur, or occurs more than
 * once without `replaceAll`, when nothing would change, and when the result has more than 1 MiB.
 *
 * @param shown The file as messages name it.
 */
export function editText(text: string, edit: TextEdit, shown: string): string {
  const oldText = withLineEndsOf(text, edit.oldText);
  const newText = withLineEndsOf(text, edit.newText);
  const places = placesToReplace(text, { ...edit, oldText }, shown);
  const sizeBytes = Buffer.byteLength(text) + places.length * (Buffer.byteLength(newText) - Buffer.byteLength(oldText));
  // Known before the text is made: a short edit of many places can give one that fits into no memory.
  checkContentSize(`${shown} would have`, sizeBytes);
  const edited = replaceAt(text, places, oldText.length, newText);
  const marked =
    text.startsWith(BYTE_ORDER_MARK) && !edited.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + edited : edited;
  if (marked === text) {
    throw new ToolRefused(`Nothing would change in ${shown}: newText says the same as oldText there.`);
  }
  return marked;
}

function placesToReplace(text: string, { oldText, replaceAll }: TextEdit, shown: string): readonly number[] {
  const found = findOccurrences(text, oldText);
  if (found.length === 0) {
    throw new ToolRefused(
      `oldText does not occur in ${shown}. Read the file and repeat a part of it exactly, with its white space.`,
    );
  }
  if (replaceAll) {
    return withoutOverlaps(found, oldText.length);
  }
  if (found.length > 1) {
    throw new ToolRefused(
      `oldText occurs ${found.length.toLocaleString('en-US')} times in ${shown}, at ${shownLines(text, found)}. ` +
        'Make it longer, so that it occurs once, or set replaceAll.',
    );
  }
  return found;
}

function withoutOverlaps(found: readonly number[], length: number): readonly number[] {
  let end = 0;
  return found.filter((place) => {
    const isFree = place >= end;
    end = isFree ? place + length : end;
    return isFree;
  });
}

function shownLines(text: string, found: readonly number[]): string {
  let line = 1;
  let from = 0;
  const lines = found.slice(0, MAX_SHOWN_LINES).map((place) => {
    line += countOf('\n', text.slice(from, place));
    from = place;
    return line;
  });
  return `lines ${lines.join(', ')}${found.length > lines.length ? ', …' : ''}`;
}

function replaceAt(text: string, places: readonly number[], length: number, newText: string): string {
  const ends = [0, ...places.map((place) => place + length)];
  return ends.map((end, index) => text.slice(end, places[index] ?? text.length)).join(newText);
}

function withLineEndsOf(text: string, part: string): string {
  const lineEnd = onlyLineEndOf(text);
  return lineEnd === undefined ? part : part.replace(/\r?\n/g, lineEnd);
}

/** The line end of a text that has only one kind of them; undefined for one that has none, or several kinds. */
function onlyLineEndOf(text: string): '\n' | '\r\n' | undefined {
  const all = countOf('\n', text);
  const long = countOf('\r\n', text);
  if (all === 0 || (long > 0 && long < all)) {
    return undefined;
  }
  return long === 0 ? '\n' : '\r\n';
}

function countOf(part: '\n' | '\r\n', text: string): number {
  let count = 0;
  for (let place = text.indexOf(part); place !== -1; place = text.indexOf(part, place + part.length)) {
    count += 1;
  }
  return count;
}
