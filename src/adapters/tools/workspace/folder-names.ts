import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { HeldFolder } from './held-folder';
import { isProtectedName } from './protected-names';

/** Names read from the disk at a time. */
const READ_BATCH = 1_024;

/** One name in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Names of a folder in order, by UTF-16 code units. */
export interface FolderNames {
  readonly entries: readonly FolderEntry[];
  /** How many names the folder has, protected ones left out. */
  readonly total: number;
  /** How many of them come behind `entries`. */
  readonly behind: number;
}

/**
 * The first `max` names of a folder that come after `after`, without protected names. A folder may hold far more names
 * than fit into memory: at most twice `max` are held at a time.
 */
export async function folderNames(
  folder: HeldFolder,
  options: { readonly after: string; readonly max: number; readonly signal: AbortSignal },
): Promise<FolderNames> {
  const { after, max, signal } = options;
  let entries: FolderEntry[] = [];
  let total = 0;
  let following = 0;
  for await (const entry of await opendir(folder.path, { bufferSize: READ_BATCH })) {
    if (isProtectedName(entry.name)) {
      continue;
    }
    total += 1;
    if (total % READ_BATCH === 0) {
      signal.throwIfAborted();
    }
    if (entry.name > after) {
      following += 1;
      entries.push({ name: entry.name, kind: kindOf(entry) });
      entries = entries.length >= 2 * max ? firstOf(entries, max) : entries;
    }
  }
  signal.throwIfAborted();
  // Names in memory went through the plain path where there are no descriptor paths.
  await folder.checkInPlace();
  entries = firstOf(entries, max);
  return { entries, total, behind: following - entries.length };
}

function firstOf(entries: FolderEntry[], max: number): FolderEntry[] {
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1)).slice(0, max);
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isDirectory()) {
    return 'folder';
  }
  if (entry.isSymbolicLink()) {
    return 'link';
  }
  return entry.isFile() ? 'file' : 'other';
}
