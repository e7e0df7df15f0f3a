import { isToolRefused } from '../../../core/tool-refused';
import { fileErrorCode } from './explain-file-error';
import { type FolderEntry, folderNames } from './folder-names';
import type { HeldFolder } from './held-folder';
import type { Place } from './locate';
import { nameFault } from './workspace-path';

/** Each folder on the way is held open, so this bounds open files, too. */
const MAX_DEPTH = 100;
/** Names that are looked at by one walk; each folder on the way is in memory. */
const MAX_NAMES = 200_000;

/**
 * Why something was left out. `refused` is everything tools never touch: links, files with several hard links, devices,
 * protected folders, what was swapped meanwhile. `unreadable` is what the system fails on, such as a bad disk.
 */
export type SkipReason =
  | 'notText'
  | 'tooLarge'
  | 'noPermission'
  | 'refused'
  | 'unreadable'
  | 'tooDeep'
  | 'unusableName'
  | 'tooMany';

/** How a walk goes. */
export interface Walk {
  readonly signal: AbortSignal;
  /** True for names of files that are wanted. */
  readonly isWanted: (name: string) => boolean;
  /** Told of each file or folder that is left out; not of protected names. */
  readonly skip: (reason: SkipReason, name: string) => void;
}

/** A file on the way, not opened yet; good until the walk goes on. */
export type WalkedFile = Pick<Place, 'path' | 'name' | 'stats' | 'held'>;

/**
 * Walks through the files of a folder and of the folders in it, in the order of their names. Follows no links and
 * enters no protected folder; at most 100 folders deep and 200,000 names in all.
 */
export async function* walkFiles(folder: HeldFolder, walk: Walk): AsyncGenerator<WalkedFile> {
  const left = { names: MAX_NAMES };
  yield* walkNames(folder, await namesOf(folder, walk, left), walk, left, MAX_DEPTH);
}

/** How many names may still be looked at, shared by all folders of a walk. */
interface NamesLeft {
  names: number;
}

async function namesOf(folder: HeldFolder, walk: Walk, left: NamesLeft): Promise<readonly FolderEntry[]> {
  const { entries, behind } = await folderNames(folder, { after: '', max: left.names, signal: walk.signal });
  left.names -= entries.length;
  if (behind > 0) {
    walk.skip('tooMany', folder.segments.join('/'));
  }
  return entries;
}

async function* walkNames(
  folder: HeldFolder,
  entries: readonly FolderEntry[],
  walk: Walk,
  left: NamesLeft,
  depth: number,
): AsyncGenerator<WalkedFile> {
  for (const { name, kind } of entries) {
    walk.signal.throwIfAborted();
    if (kind !== 'folder' && !walk.isWanted(name)) {
      continue;
    }
    if (nameFault(name) !== undefined) {
      walk.skip('unusableName', name);
    } else if (kind !== 'folder') {
      yield* fileIn(folder, name, walk);
    } else if (depth === 0) {
      walk.skip('tooDeep', name);
    } else {
      yield* walkInto(folder, name, walk, left, depth - 1);
    }
  }
}

async function* walkInto(
  folder: HeldFolder,
  name: string,
  walk: Walk,
  left: NamesLeft,
  depth: number,
): AsyncGenerator<WalkedFile> {
  const inner = await orSkip(walk, name, () => folder.enter(name));
  if (inner === undefined) {
    return;
  }
  try {
    const entries = await orSkip(walk, name, () => namesOf(inner, walk, left));
    yield* walkNames(inner, entries ?? [], walk, left, depth);
  } finally {
    await inner.close();
  }
}

async function* fileIn(held: HeldFolder, name: string, walk: Walk): AsyncGenerator<WalkedFile> {
  const stats = await orSkip(walk, name, () => held.look(name));
  if (stats !== undefined) {
    const segments = [...held.segments, name];
    yield { path: { segments, shown: segments.join('/') }, name, stats, held };
  }
}

/** The value, or undefined for what tools may not or can not touch, which is skipped. */
export async function orSkip<Value>(walk: Walk, name: string, run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run();
  } catch (error) {
    const reason = isToolRefused(error) ? 'refused' : skipReason(fileErrorCode(error) ?? '');
    if (reason === undefined) {
      throw error;
    }
    walk.skip(reason, name);
    return undefined;
  }
}

/** Undefined for what is no error of the system, and for a lack in this process, which the next file would meet too. */
function skipReason(code: string): SkipReason | undefined {
  const isSystemError = /^E[A-Z0-9]+$/.test(code) && !OWN_LACKS.has(code);
  return SKIPPED_ERRORS.get(code) ?? (isSystemError ? 'unreadable' : undefined);
}

const OWN_LACKS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);
/** What a race or a mode leads to. */
const SKIPPED_ERRORS: ReadonlyMap<string, SkipReason> = new Map([
  ['EACCES', 'noPermission'],
  ['EPERM', 'noPermission'],
  ['ENOENT', 'refused'],
  ['ELOOP', 'refused'],
  ['ENOTDIR', 'refused'],
  ['ENXIO', 'refused'],
]);
