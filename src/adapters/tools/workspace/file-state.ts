import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { ToolRefused } from '../../../core/tool-refused';
import { digestOfBytes } from '../../../digests/digest-of';
import { locate, type Place, type Workspace } from './locate';
import { checkRegular, readRegularFile } from './read-regular-file';
import { shownBytes } from './utf8-text';
import { quotePath, type WorkspacePath } from './workspace-path';

/** Files that are read whole to show and compare what a write would change. */
const MAX_WRITABLE_FILE_BYTES = 4_194_304;

/** What a write would find: the bytes of a file, or that there is none. */
export interface FileState {
  readonly place: Place;
  readonly bytes: Buffer | undefined;
}

/**
 * Reads the state of a file that may be written. Throws ToolRefused for what no write may replace: folders, devices,
 * pipes, files with several hard links (another name of the same file may lie elsewhere), files that are read-only, and
 * files above 4 MiB.
 */
export async function readFileState(
  workspace: Workspace,
  path: WorkspacePath,
  signal: AbortSignal,
): Promise<FileState> {
  const place = await locate(workspace, path);
  if (place.stats === undefined) {
    return { place, bytes: undefined };
  }
  const shown = quotePath(path.shown);
  checkRegular(place.stats, shown);
  if (place.stats.nlink > 1n) {
    throw new ToolRefused(`${shown} has several hard links; such files are not written.`);
  }
  if (place.stats.size > BigInt(MAX_WRITABLE_FILE_BYTES)) {
    const limit = shownBytes(MAX_WRITABLE_FILE_BYTES);
    throw new ToolRefused(`${shown} has ${shownBytes(place.stats.size)}; only files up to ${limit} are replaced.`);
  }
  // A rename would get around the mode of the file itself, and root around any mode.
  if ((place.stats.mode & 0o222n) === 0n) {
    throw new ToolRefused(`${shown} is read-only.`);
  }
  await access(place.absolutePath, constants.W_OK);
  const head = await readRegularFile(place, { maxBytes: MAX_WRITABLE_FILE_BYTES, signal });
  if (!head.isWhole) {
    throw new ToolRefused(`${shown} grew while it was read. Try again.`);
  }
  return { place, bytes: head.bytes };
}

/** What an approval is bound to: the digest of the content, or `absent`. */
export function fileStateDigest({ bytes }: Pick<FileState, 'bytes'>): string {
  return bytes === undefined ? 'absent' : digestOfBytes(bytes);
}
