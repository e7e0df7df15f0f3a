import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { DEFAULT_LIMITS } from '../../../core/limits';
import { defineTool, type ToolDefinition, type ToolOutput } from '../../../definitions/define-tool';
import { explainFileErrors } from './explain-file-error';
import { type FolderEntry, type FolderNames, folderNames } from './folder-names';
import { openFolder, type Workspace } from './locate';
import { nameFault, parseWorkspacePath, quotePath, type WorkspacePath } from './workspace-path';

/** A page is as long as a result may be by default, so that nothing is cut from it on its way to the model. */
const MAX_PAGE_BYTES = DEFAULT_LIMITS.resultBytes;
const MAX_ENTRIES = 1_000;

/**
 * Lists one folder of a workspace. The output is `{folder, entries, total, truncated}`, with `next` when there are more
 * names behind the last one, and `unusable` for names that no path can hold, quoted and with their control characters
 * escaped.
 */
export function listFilesTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'list_files',
    description:
      'List the names in one folder of the workspace, sorted; folders end with /. A long list comes in pages: ' +
      '"truncated" says that there are more names, "total" how many there are; go on with "after" set to "next". ' +
      'Names under "unusable" hold characters no path can hold. Protected names are left out.',
    parameters: z.strictObject({
      dir: z.string().optional().describe('Folder, relative to the workspace. Default: the workspace itself.'),
      after: z.string().optional().describe('List only names that come after this one.'),
    }),
    effect: 'read',
    risk: 'low',
    timeoutMs: 5 * SECOND_MS,
    parallel: () => true,
    summarize: ({ dir }) => `List ${dir ?? '.'}`,
    execute: async ({ dir = '', after = '' }, { signal }) => {
      const path = parseWorkspacePath(dir);
      const names = await explainFileErrors(path.shown, () =>
        openFolder(workspace, path, (folder) => folderNames(folder, { after, max: MAX_ENTRIES, signal })),
      );
      return pageOf(path, names);
    },
  });
}

/** The longest page that fits; at least one name, or nobody could go on behind it. */
function pageOf(path: WorkspacePath, names: FolderNames): ToolOutput {
  let fits = Math.min(1, names.entries.length);
  let tooMany = names.entries.length + 1;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    const bytes = Buffer.byteLength(JSON.stringify(pageOfFirst(middle, path, names)));
    [fits, tooMany] = bytes <= MAX_PAGE_BYTES ? [middle, tooMany] : [fits, middle];
  }
  return pageOfFirst(fits, path, names);
}

function pageOfFirst(count: number, path: WorkspacePath, { entries, total, behind }: FolderNames): ToolOutput {
  const shown = entries.slice(0, count);
  const isTruncated = behind > 0 || count < entries.length;
  const unusable = shown.filter(({ name }) => nameFault(name) !== undefined);
  return {
    folder: path.shown,
    entries: shown.filter(({ name }) => nameFault(name) === undefined).map(shownName),
    ...(unusable.length > 0 && { unusable: unusable.map(({ name }) => quotePath(name)) }),
    total,
    truncated: isTruncated,
    ...(isTruncated && { next: shown.at(-1)?.name ?? '' }),
  };
}

function shownName({ name, kind }: FolderEntry): string {
  return kind === 'folder' ? `${name}/` : name;
}
