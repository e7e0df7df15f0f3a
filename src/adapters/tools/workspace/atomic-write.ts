import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { digestOfBytes } from '../../../digests/digest-of';
import { checkUnchanged } from './check-unchanged';
import { fileErrorCode } from './explain-file-error';
import type { HeldFolder } from './held-folder';
import type { Place } from './locate';
import { syncChange } from './sync-change';

const CREATE_FLAGS = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
/** Leftovers of killed tries of one call that are stepped over; each try after them cleans up. */
const MAX_LEFTOVERS = 8;

/** One write of a whole file. */
export interface AtomicWrite {
  /** Its folder is held open until the write is done. */
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
  const made: MadeFolders = { paths: [], opened: [] };
  try {
    const { folder, leftovers } = await putInPlace(write, made);
    await removeAll(leftovers, unlink);
    await syncChange(folder);
  } finally {
    for (const folder of made.opened) {
      await folder.close();
    }
  }
}

/** Folders that were missing, from the outermost on. The paths hold while the folders above are open. */
interface MadeFolders {
  readonly paths: string[];
  readonly opened: HeldFolder[];
}

interface UnfinishedFile {
  readonly path: string;
  readonly handle: FileHandle;
  /** Files of earlier tries of the same call. */
  readonly leftovers: readonly string[];
}

/** Everything up to the one step that counts. A write that gets no further leaves nothing behind. */
async function putInPlace(
  write: AtomicWrite,
  made: MadeFolders,
): Promise<{ readonly folder: HeldFolder; readonly leftovers: readonly string[] }> {
  const { place, signal } = write;
  let unfinished: UnfinishedFile | undefined;
  try {
    const folder = await makeFolders(place, made);
    signal.throwIfAborted();
    unfinished = await createUnfinished(folder, write.idempotencyKey, place.stats === undefined ? 0o666 : 0o600);
    await fill(unfinished, write);
    signal.throwIfAborted();
    await checkUnchanged(folder, place);
    await rename(unfinished.path, folder.entry(place.name));
    return { folder, leftovers: unfinished.leftovers };
  } catch (error) {
    // The first error is what counts; what can not be removed is found by the next try.
    await unfinished?.handle.close().catch(() => undefined);
    await removeAll(unfinished === undefined ? [] : [unfinished.path], unlink);
    await removeAll(made.paths.reverse(), rmdir);
    throw error;
  }
}

async function makeFolders(place: Place, made: MadeFolders): Promise<HeldFolder> {
  let folder = place.held;
  for (const name of place.missingFolders) {
    const path = folder.entry(name);
    await mkdir(path);
    made.paths.push(path);
    await folder.sync();
    folder = await folder.enter(name);
    made.opened.push(folder);
  }
  return folder;
}

/** Never takes over a file of another try: that one may still be writing it. */
async function createUnfinished(folder: HeldFolder, idempotencyKey: string, mode: number): Promise<UnfinishedFile> {
  const stem = `.holdpoint-${digestOfBytes(idempotencyKey).slice(0, 22)}`;
  const leftovers: string[] = [];
  for (;;) {
    const path = folder.entry(`${stem}.${leftovers.length + 1}.tmp`);
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

/** Only root may give a file away; others may still give it to the group, when it is one of theirs. */
async function keepOwner(handle: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await handle.stat();
  if (own.uid === uid && own.gid === gid) {
    return;
  }
  if (!(await isGiven(handle, uid, gid)) && own.gid !== gid) {
    await isGiven(handle, own.uid, gid);
  }
}

/** False when the system does not allow it; the content is what was asked for. */
async function isGiven(handle: FileHandle, uid: number, gid: number): Promise<boolean> {
  try {
    await handle.chown(uid, gid);
    return true;
  } catch (error) {
    if (fileErrorCode(error) !== 'EPERM') {
      throw error;
    }
    return false;
  }
}

async function removeAll(paths: readonly string[], remove: (path: string) => Promise<void>): Promise<void> {
  for (const path of paths) {
    await remove(path).catch(() => undefined);
  }
}
