import { resolve } from 'node:path';
import type { ToolDefinition } from '../../../definitions/define-tool';
import { deleteFileTool } from './delete-file';
import { editFileTool } from './edit-file';
import { listFilesTool } from './list-files';
import type { Workspace } from './locate';
import { readFileTool } from './read-file';
import { searchFilesTool } from './search-files';
import { writeFileTool } from './write-file';

export interface WorkspaceOptions {
  /** The folder the tools work in. A relative one is taken from the current directory. */
  readonly root: string;
  /**
   * Folders no tool may enter, wherever they lie, for example the state folder. Default: none. Folders named
   * `.holdpoint`, `.git` and the like are protected anyway.
   */
  readonly protectedFolders?: readonly string[];
}

/**
 * Tools on the files of one folder: `list_files`, `read_file` and `search_files`; `write_file`, `edit_file` and
 * `delete_file`. No path leaves the folder.
 */
export function workspaceTools(options: WorkspaceOptions): readonly ToolDefinition[] {
  const workspace: Workspace = {
    root: resolve(options.root),
    protectedFolders: (options.protectedFolders ?? []).map((folder) => resolve(folder)),
  };
  return [
    listFilesTool(workspace),
    readFileTool(workspace),
    searchFilesTool(workspace),
    writeFileTool(workspace),
    editFileTool(workspace),
    deleteFileTool(workspace),
  ];
}
