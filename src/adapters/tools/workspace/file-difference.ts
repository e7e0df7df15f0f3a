import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';
import { shownBytes, textOfBytes } from './utf8-text';

/** Longest preview, with its marker. */
const MAX_PREVIEW_BYTES = 65_536;
const MARKER_BYTES = 200;
/** Changed lines up to which a difference is computed. The cost grows with the square; this is about 100 ms. */
const MAX_CHANGED_LINES = 2_000;

/** A write as an approver has to see it. */
export interface FileChange {
  /** Relative to the workspace. */
  readonly path: string;
  /** Undefined when there is no file yet. */
  readonly before: Uint8Array | undefined;
  readonly after: string;
  readonly newFolders: readonly string[];
}

/**
 * The change as a unified difference of at most 64 KiB; a longer one is cut and says so. A file that is no text, or that
 * differs in more than 2,000 lines, is shown as replaced in whole, with its new content.
 */
export function fileDifference({ path, before, after, newFolders }: FileChange): string {
  if (before !== undefined && Buffer.compare(before, Buffer.from(after)) === 0) {
    return 'No change: the file already has exactly this content.\n';
  }
  const folders = newFolders.length === 0 ? '' : `New folder: ${newFolders.join('/')}\n`;
  const oldName = before === undefined ? '/dev/null' : `a/${path}`;
  return cut(
    `${folders}--- ${oldName}\n+++ b/${path}\n${changedLines(before, after)}`,
    'the arguments say all that changes',
  );
}

/**
 * What is lost with a file, as a unified difference of at most 64 KiB; a longer one is cut and says so. Its first line
 * says how much that is; of a file that is no text it is all that is shown.
 *
 * @param path Relative to the workspace.
 */
export function deletedFile(path: string, bytes: Uint8Array): string {
  const size = shownBytes(bytes.length);
  const text = textOfBytes(bytes, { mayBeCut: false });
  const header = `--- a/${path}\n+++ /dev/null\n`;
  if (text === undefined) {
    return `Deletes a file that is no text (${size}).\n${header}`;
  }
  const count = lineCount(text);
  const lines = `${count.toLocaleString('en-US')} ${count === 1 ? 'line' : 'lines'}`;
  return cut(
    `Deletes a text file (${size}, ${lines}).\n${header}${removedLines(text, count)}`,
    'the file holds all of it',
  );
}

function removedLines(text: string, count: number): string {
  if (count === 0) {
    return '';
  }
  const isEnded = text.endsWith('\n');
  const removed = (isEnded ? text.slice(0, -1) : text).split('\n').map((line) => `-${line}\n`);
  return `@@ -1,${count} +0,0 @@\n${removed.join('')}${isEnded ? '' : '\\ No newline at end of file\n'}`;
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
}

function changedLines(before: Uint8Array | undefined, after: string): string {
  const text = before === undefined ? '' : textOfBytes(before, { mayBeCut: false });
  if (text === undefined) {
    return replacement(`a file of ${shownBytes(before?.length ?? 0)} that is no text`, after);
  }
  // The library would write names that are not ASCII as octal numbers, so the header is ours.
  const hunks = createTwoFilesPatch('', '', text, after, undefined, undefined, {
    context: 3,
    headerOptions: OMIT_HEADERS,
    maxEditLength: MAX_CHANGED_LINES,
  });
  return hunks ?? replacement(`${lineCount(text)} lines`, after);
}

/** What is new comes first: after a cut it still shows. */
function replacement(what: string, after: string): string {
  const added = after.split('\n').map((line) => `+${line}\n`);
  return `Replaces ${what} by this content:\n${added.join('')}`;
}

function cut(text: string, whereTheRestIs: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_PREVIEW_BYTES) {
    return text;
  }
  const head = textOfBytes(bytes.subarray(0, MAX_PREVIEW_BYTES - MARKER_BYTES), { mayBeCut: true }) ?? '';
  return `${head}\n[cut: the whole preview has ${shownBytes(bytes.length)}; ${whereTheRestIs}]\n`;
}
