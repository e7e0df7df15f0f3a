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
  return cut(`${folders}--- ${oldName}\n+++ b/${path}\n${changedLines(before, after)}`);
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
  return hunks ?? replacement(`${text === '' ? 0 : text.split('\n').length} lines`, after);
}

/** What is new comes first: after a cut it still shows. */
function replacement(what: string, after: string): string {
  const added = after.split('\n').map((line) => `+${line}\n`);
  return `Replaces ${what} by this content:\n${added.join('')}`;
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_PREVIEW_BYTES) {
    return text;
  }
  const head = textOfBytes(bytes.subarray(0, MAX_PREVIEW_BYTES - MARKER_BYTES), { mayBeCut: true }) ?? '';
  return `${head}\n[cut: the whole preview has ${shownBytes(bytes.length)}; the arguments hold all of it]\n`;
}
