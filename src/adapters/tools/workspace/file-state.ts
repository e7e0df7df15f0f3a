import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { ToolRefused } from '../../../core/tool-refused';
import { digestOfBytes } from '../../../digests/digest-of';
import { explainFileErrors } from './explain-file-error';
import { locate, type Place, type Workspace } from './locate';
import { checkRegular, readRegularFile } from './read-regular-file';
import { shownBytes } from './utf8-text';
import { quotePath, type WorkspacePath } from './workspace-path';

/** Files that are read whole to show and compare what a write would change. */
const MAX_CHANGED_FILE_BYTES = 4_194_304;

/** What a write would find: the bytes of a file, or that there is none. */
export interface FileState {
  readonly place: Place;
  readonly bytes: Buffer | undefined;
}

/** The state of a file that is there. */
export interface ExistingFile extends FileState {
  readonly bytes: Buffer;
}

/**
 * Reads the state of a file that may be written, and hands it to `use`; the folder it lies in is held until that is done.
 * Throws ToolRefused for what no write may touch: folders, devices, pipes, files with several hard links, files that are
 * read-only, and files above 4 MiB. Errors of the file system, also those of `use`, become refusals in plain words where
 * a model can act on them.
 */
export async function withFileState<Value>(
  workspace: Workspace,
  path: WorkspacePath,
  signal: AbortSignal,
  use: (state: FileState) => Promise<Value> | Value,
): Promise<Value> {
  return explainFileErrors(path.shown, () =>
    locate(workspace, path, async (place) => use({ place, bytes: await readChangeable(place, signal) })),
  );
}

async function readChangeable(place: Place, signal: AbortSignal): Promise<Buffer | undefined> {
  if (place.stats === undefined) {
    return undefined;
  }
  const shown = quotePath(place.path.shown);
  checkRegular(place.stats, shown);
  if (place.stats.size > BigInt(MAX_CHANGED_FILE_BYTES)) {
    const limit = shownBytes(MAX_CHANGED_FILE_BYTES);
    throw new ToolRefused(`${shown} has ${shownBytes(place.stats.size)}; only files up to ${limit} are changed.`);
  }
  // A rename would get around the mode of the file itself, and root around any mode.
  if ((place.stats.mode & 0o222n) === 0n) {
    throw new ToolRefused(`${shown} is read-only.`);
  }
  await access(place.held.entry(place.name), constants.W_OK);
  const head = await readRegularFile(place, { maxBytes: MAX_CHANGED_FILE_BYTES, signal });
  if (!head.isWhole) {
    throw new ToolRefused(`${shown} grew while it was read. Try again.`);
  }
  return head.bytes;
}

/**
 * What an approval is bound to: the folder the tools work in, since the same path in another workspace is another file,
 * and what the tool says of the content it was asked about.
 */
export function boundState(state: FileState, content: string): string {
  return `${workspaceDigest(state)}.${content}`;
}

/**
 * The part about the content of what an approval is bound to; undefined for a write nobody was asked about. Throws
 * ToolRefused when the approval is about another workspace.
 */
export function approvedContent(state: FileState, approvedPrecondition: string | undefined): string | undefined {
  const bound = `${workspaceDigest(state)}.`;
  if (approvedPrecondition !== undefined && !approvedPrecondition.startsWith(bound)) {
    throw new ToolRefused('The workspace is another folder than when this call was approved. Nothing was done in it.');
  }
  return approvedPrecondition?.slice(bound.length);
}

function workspaceDigest({ place }: FileState): string {
  return digestOfBytes(place.held.rootPath).slice(0, 22);
}

/** The digest of the content, or `absent`. */
export function fileStateDigest({ bytes }: Pick<FileState, 'bytes'>): string {
  return bytes === undefined ? 'absent' : digestOfBytes(bytes);
}

/** Throws ToolRefused for a file that is not there. */
export function checkExists(state: FileState): ExistingFile {
  const { place, bytes } = state;
  if (bytes === undefined) {
    throw new ToolRefused(`${quotePath(place.path.shown)} does not exist.`);
  }
  return { place, bytes };
}

/**
 * Throws ToolRefused when the content is not the one a person approved the write for. Whether an earlier try of the same
 * call is why can't be told, so the message says only what is sure.
 *
 * @param approvedDigest Undefined for a write nobody was asked about: it may find anything.
 */
export function checkApproved(state: FileState, approvedDigest: string | undefined): void {
  if (approvedDigest !== undefined && approvedDigest !== fileStateDigest(state)) {
    const shown = quotePath(state.place.path.shown);
    throw new ToolRefused(`${shown} is not what it was when this call was approved. It was left alone; read it again.`);
  }
}
