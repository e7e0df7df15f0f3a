import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { ToolRefused } from '../../../core/tool-refused';
import { defineTool, type ToolDefinition, type ToolOutput } from '../../../definitions/define-tool';
import { explainFileErrors } from './explain-file-error';
import { locate, type Workspace } from './locate';
import { isProtectedName } from './protected-names';
import { parseWorkspacePath, quotePath, type WorkspacePath } from './workspace-path';

const MAX_ENTRIES = 1_000;
/** Names read from the disk at a time. */
const READ_BATCH = 1_024;

/** Lists one folder of a workspace. */
export function listFilesTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'list_files',
    description:
      'List the names in one folder of the workspace, sorted; folders end with /. At most 1,000 names are shown: ' +
      '"truncated" says that there are more, "total" how many there are. Protected names are left out.',
    parameters: z.strictObject({
      dir: z.string().optional().describe('Folder, relative to the workspace. Default: the workspace itself.'),
    }),
    effect: 'read',
    risk: 'low',
    timeoutMs: 5 * SECOND_MS,
    parallel: () => true,
    summarize: ({ dir }) => `List ${dir ?? '.'}`,
    execute: async ({ dir = '' }, { signal }) => {
      const path = parseWorkspacePath(dir);
      return explainFileErrors(path.shown, () => listFolder(workspace, path, signal));
    },
  });
}

async function listFolder(workspace: Workspace, path: WorkspacePath, signal: AbortSignal): Promise<ToolOutput> {
  const place = await locate(workspace, path);
  if (place.stats === undefined) {
    throw new ToolRefused(`${quotePath(path.shown)} does not exist.`);
  }
  if (!place.stats.isDirectory()) {
    throw new ToolRefused(`${quotePath(path.shown)} is not a folder. Use read_file to read a file.`);
  }
  const { names, total } = await firstNames(place.absolutePath, signal);
  return { folder: path.shown, entries: names, total, truncated: total > names.length };
}

/** The first names in order, and how many there are. A folder may hold far more than fits into memory at once. */
async function firstNames(folder: string, signal: AbortSignal): Promise<{ names: readonly string[]; total: number }> {
  let names: string[] = [];
  let total = 0;
  for await (const entry of await opendir(folder, { bufferSize: READ_BATCH })) {
    if (isProtectedName(entry.name)) {
      continue;
    }
    total += 1;
    names.push(shownName(entry));
    if (names.length >= 2 * MAX_ENTRIES) {
      signal.throwIfAborted();
      names = names.sort().slice(0, MAX_ENTRIES);
    }
  }
  signal.throwIfAborted();
  return { names: names.sort().slice(0, MAX_ENTRIES), total };
}

function shownName(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}
