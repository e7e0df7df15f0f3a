import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ToolRefused } from '../../../core/tool-refused';
import { digestOfBytes } from '../../../digests/digest-of';
import { fileErrorCode } from './explain-file-error';
import { isSameFile, type Place } from './locate';
import { quotePath } from './workspace-path';

const CREATE_FLAGS = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
/** Leftovers of killed tries of one call that are stepped over; each try after them cleans up. */
const MAX_LEFTOVERS = 8;

/** One write of a whole file. */
export interface AtomicWrite {
  readonly place: Place;
  readonly bytes: Uint8Array;
  /** Names the unfinished file, so that a later try of the same call finds and removes it. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/**
 * Puts a file in place in one step: readers see the old content or the new, also after a crash. Written to a file beside
 * it, synced, renamed over it, and the folder synced. Mode and owner of an existing file stay (the owner where the
 * system allows it). Missing folders are made; they and the unfinished file are removed when the write fails or is
 * aborted. Throws ToolRefused when the place changed since it was looked at.
 */
export async function writeAtomically(write: AtomicWrite): Promise<void> {
  const { place, signal } = write;
  const madeFolders: string[] = [];
  let unfinished: UnfinishedFile | undefined;
  try {
    const folder = await makeFolders(place, madeFolders);
    signal.throwIfAborted();
    unfinished = await createUnfinished(folder, write.idempotencyKey, place.stats === undefined ? 0o666 : 0o600);
    await fill(unfinished, write);
    signal.throwIfAborted();
    await checkUnchanged(place);
    await rename(unfinished.path, place.absolutePath);
  } catch (error) {
    // The first error is what counts; what can not be removed is found by the next try.
    await unfinished?.handle.close().catch(() => undefined);
    await removeAll(unfinished === undefined ? [] : [unfinished.path], unlink);
    await removeAll(madeFolders.reverse(), rmdir);
    throw error;
  }
  await removeAll(unfinished.leftovers, unlink);
  await syncFolder(dirname(place.absolutePath));
}

interface UnfinishedFile {
  readonly path: string;
  readonly handle: FileHandle;
  /** Files of earlier tries of the same call. */
  readonly leftovers: readonly string[];
}

async function makeFolders(place: Place, made: string[]): Promise<string> {
  let folder = place.folder;
  for (const name of place.missingFolders) {
    const parent = folder;
    folder = join(parent, name);
    await mkdir(folder);
    made.push(folder);
    await syncFolder(parent);
  }
  return folder;
}

/** Never takes over a file of another try: that one may still be writing it. */
async function createUnfinished(folder: string, idempotencyKey: string, mode: number): Promise<UnfinishedFile> {
  const stem = `.holdpoint-${digestOfBytes(idempotencyKey).slice(0, 22)}`;
  const leftovers: string[] = [];
  for (;;) {
    const path = join(folder, `${stem}.${leftovers.length + 1}.tmp`);
    try {
      return { path, handle: await open(path, CREATE_FLAGS, mode), leftovers };
    } catch (error) {
      if (fileErrorCode(error) !== 'EEXIST' || leftovers.length === MAX_LEFTOVERS) {
        throw error;
      }
      leftovers.push(path);
    }
  }
}

async function fill({ handle }: UnfinishedFile, { place, bytes, signal }: AtomicWrite): Promise<void> {
  await handle.writeFile(bytes, { signal });
  if (place.stats !== undefined) {
    await keepOwner(handle, Number(place.stats.uid), Number(place.stats.gid));
    await handle.chmod(Number(place.stats.mode) & 0o777);
  }
  await handle.sync();
  await handle.close();
}

async function keepOwner(handle: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await handle.stat();
  if (own.uid === uid && own.gid === gid) {
    return;
  }
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    // Only root may give a file away; the content is what was asked for.
    if (fileErrorCode(error) !== 'EPERM') {
      throw error;
    }
  }
}

/** The last look before the rename: whoever changed the file since it was read would lose that change. */
async function checkUnchanged({ stats, absolutePath, path }: Place): Promise<void> {
  const now = await lstat(absolutePath, { bigint: true }).catch((error: unknown) => {
    if (fileErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  });
  const isSame =
    stats === undefined || now === undefined
      ? stats === now
      : isSameFile(stats, now) && stats.size === now.size && stats.mtimeNs === now.mtimeNs && now.nlink === 1n;
  if (!isSame) {
    throw new ToolRefused(
      `${quotePath(path.shown)} changed while it was written. Nothing was changed; look at it again.`,
    );
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeAll(paths: readonly string[], remove: (path: string) => Promise<void>): Promise<void> {
  for (const path of paths) {
    await remove(path).catch(() => undefined);
  }
}
