import type { BigIntStats } from 'node:fs';
import { ToolRefused } from '../../../core/tool-refused';
import { checkExactName } from './exact-name';
import { HeldFolder, type Workspace } from './held-folder';
import { quotePath, type WorkspacePath } from './workspace-path';

export { isSameFile, type Workspace } from './held-folder';

/** A place in the workspace as it is on the disk now. */
export interface Place {
  readonly path: WorkspacePath;
  /** The last name of the path; '.' for the workspace itself. */
  readonly name: string;
  /** What is there, not followed; undefined when nothing is. */
  readonly stats: BigIntStats | undefined;
  /** The nearest folder above that exists, or the workspace itself, held open until `use` is done. */
  readonly held: HeldFolder;
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
): Promise<Value> {
  let held = await HeldFolder.openRoot(workspace);
  try {
    for (const [index, name] of path.segments.entries()) {
      const stats = await held.look(name);
      if (stats !== undefined) {
        await checkExactName(held, name, stats);
      }
      if (stats === undefined || index === path.segments.length - 1) {
        const missingFolders = path.segments.slice(index, -1);
        return await use({ path, name: path.segments.at(-1) ?? name, stats, held, missingFolders });
      }
      const next = await held.enter(name, stats);
      await held.close();
      held = next;
    }
    return await use({ path, name: '.', stats: held.stats, held, missingFolders: [] });
  } finally {
    await held.close();
  }
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
