import type { BigIntStats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolRefused } from '../../../core/tool-refused';
import { checkExactName } from './exact-name';
import { HeldFolder, type Workspace } from './held-folder';
import { quotePath, type WorkspacePath } from './workspace-path';

export { isSameFile, type Workspace } from './held-folder';

/** A place in the workspace as it is on the disk now. */
export interface Place {
  readonly path: WorkspacePath;
  /** For calls of node:fs, never for messages: goes through the held folder. */
  readonly absolutePath: string;
  /** The last name of the path; '.' for the workspace itself. */
  readonly name: string;
  /** What is there, not followed; undefined when nothing is. */
  readonly stats: BigIntStats | undefined;
  /** The nearest folder above that exists, or the workspace itself, held open until `use` is done. */
  readonly held: HeldFolder;
  /** The path of `held`. */
  readonly folder: string;
  /** Names of folders missing between `held` and the place. */
  readonly missingFolders: readonly string[];
}

/**
 * Looks at each component of a path from the workspace down, without following links, and runs `use` with what is
 * there. The folder above stays open until `use` is done, so that it can't be swapped under it (see HeldFolder).
 * Throws ToolRefused for symbolic links anywhere on the way, for a file where a folder is needed, for protected folders,
 * and for names that are written differently on the disk.
 */
export async function locate<Value>(
  workspace: Workspace,
  path: WorkspacePath,
  use: (place: Place) => Promise<Value>,
): Promise<Value>;
/** A look alone: its folder is not held any more, and a swap after it goes unnoticed. */
export async function locate(workspace: Workspace, path: WorkspacePath): Promise<Place>;
export async function locate<Value>(
  workspace: Workspace,
  path: WorkspacePath,
  use?: (place: Place) => Promise<Value>,
): Promise<Value | Place> {
  if (use !== undefined) {
    return walk(workspace, path, use);
  }
  return walk(workspace, path, async (place) => {
    const root = await realpath(workspace.root);
    const folder = join(root, ...place.held.segments);
    return { ...place, folder, absolutePath: join(root, ...path.segments) };
  });
}

/** Opens a folder of the workspace while `use` runs. Throws ToolRefused like `locate`, and when it is no folder. */
export async function openFolder<Value>(
  workspace: Workspace,
  path: WorkspacePath,
  use: (folder: HeldFolder) => Promise<Value>,
): Promise<Value> {
  return locate(workspace, path, async ({ held, name, stats }) => {
    if (path.segments.length === 0) {
      return use(held);
    }
    if (stats === undefined) {
      throw new ToolRefused(`${quotePath(path.shown)} does not exist.`);
    }
    const folder = await held.enter(name, stats);
    try {
      return await use(folder);
    } finally {
      await folder.close();
    }
  });
}

async function walk<Value>(
  workspace: Workspace,
  path: WorkspacePath,
  use: (place: Place) => Promise<Value>,
): Promise<Value> {
  let held = await HeldFolder.openRoot(workspace);
  try {
    for (const [index, name] of path.segments.entries()) {
      const stats = await held.look(name);
      if (stats !== undefined) {
        await checkExactName(held, name, stats);
      }
      if (stats === undefined || index === path.segments.length - 1) {
        const missing = path.segments.slice(index);
        return await use({
          path,
          absolutePath: join(held.path, ...missing),
          name: missing.at(-1) ?? name,
          stats,
          held,
          folder: held.path,
          missingFolders: missing.slice(0, -1),
        });
      }
      const next = await held.enter(name, stats);
      await held.close();
      held = next;
    }
    const { path: absolutePath, stats } = held;
    return await use({ path, absolutePath, name: '.', stats, held, folder: absolutePath, missingFolders: [] });
  } finally {
    await held.close();
  }
}
