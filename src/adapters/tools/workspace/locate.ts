import type { BigIntStats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ToolRefused } from '../../../core/tool-refused';
import { fileErrorCode } from './explain-file-error';
import { quotePath, type WorkspacePath } from './workspace-path';

/** The folder the tools work in, and folders in it that they never enter. */
export interface Workspace {
  /** Absolute. May itself be a symbolic link: whoever starts the worker chose it. */
  readonly root: string;
  /** Absolute; compared by identity, not by name. */
  readonly protectedFolders: readonly string[];
}

/** A place in the workspace as it is on the disk now. */
export interface Place {
  readonly path: WorkspacePath;
  readonly absolutePath: string;
  /** What is there, not followed; undefined when nothing is. */
  readonly stats: BigIntStats | undefined;
  /** The nearest folder above that exists. */
  readonly folder: string;
  /** Names of folders missing between `folder` and the place. */
  readonly missingFolders: readonly string[];
}

/**
 * Looks at each component of a path from the workspace down, without following links.
 * Throws ToolRefused for symbolic links anywhere on the way, for a file where a folder is needed, for protected folders,
 * and when the place turns out to lie outside.
 */
export async function locate(workspace: Workspace, path: WorkspacePath): Promise<Place> {
  const root = await realRoot(workspace.root);
  const isProtected = await protectedIdentities(workspace.protectedFolders);
  let absolutePath = root;
  let stats: BigIntStats | undefined = await lstat(root, { bigint: true });
  let folder = root;
  for (const [index, segment] of path.segments.entries()) {
    if (stats?.isDirectory() !== true) {
      throw new ToolRefused(`${quotePath(path.segments.slice(0, index).join('/'))} is not a folder.`);
    }
    folder = absolutePath;
    absolutePath = join(absolutePath, segment);
    stats = await lstatOrUndefined(absolutePath);
    if (stats === undefined) {
      const missingFolders = path.segments.slice(index, -1);
      const place = join(folder, ...path.segments.slice(index));
      await checkInside(root, folder);
      return { path, absolutePath: place, stats, folder, missingFolders };
    }
    const shown = quotePath(path.segments.slice(0, index + 1).join('/'));
    if (stats.isSymbolicLink()) {
      throw new ToolRefused(`${shown} is a symbolic link; links are not followed.`);
    }
    if (isProtected(stats)) {
      throw new ToolRefused(`${shown} is protected: it holds the state of this program.`);
    }
  }
  await checkInside(root, absolutePath);
  return { path, absolutePath, stats, folder, missingFolders: [] };
}

/** True when two looks saw the same file, however it is named now. */
export function isSameFile(left: BigIntStats, right: BigIntStats): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}

async function realRoot(root: string): Promise<string> {
  try {
    return await realpath(root);
  } catch (error) {
    throw new ToolRefused('The workspace folder is not there.', { cause: error });
  }
}

async function lstatOrUndefined(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

async function protectedIdentities(folders: readonly string[]): Promise<(stats: BigIntStats) => boolean> {
  const looks = await Promise.allSettled(folders.map((folder) => stat(folder, { bigint: true })));
  const identities = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
  return (stats) => identities.some((identity) => isSameFile(identity, stats));
}

/** The walk above can not leave the workspace by itself; this also notices when something was swapped under it. */
async function checkInside(root: string, existing: string): Promise<void> {
  const way = relative(root, await realpath(existing));
  if (way === '..' || way.startsWith('../') || way.startsWith('/')) {
    throw new ToolRefused('The path leads out of the workspace.');
  }
}
