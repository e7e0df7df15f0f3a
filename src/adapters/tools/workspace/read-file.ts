import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { ToolRefused } from '../../../core/tool-refused';
import { defineTool, type ToolDefinition } from '../../../definitions/define-tool';
import { explainFileErrors } from './explain-file-error';
import { locate, type Workspace } from './locate';
import { readRegularFile } from './read-regular-file';
import { shownBytes, textOfBytes } from './utf8-text';
import { parseFilePath, quotePath, type WorkspacePath } from './workspace-path';

/** The longest part of a file that is read. */
const MAX_VIEW_BYTES = 262_144;

/**
 * Reads a text file of a workspace. The output is one header line, `[path, n bytes]`, then the content exactly as it is
 * on the disk; of a longer file the header reads `[path, first n bytes of m bytes]`.
 */
export function readFileTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'read_file',
    description:
      'Read a UTF-8 text file of the workspace. The first line of the result is a header with the path and the size; ' +
      'what follows is the exact content. At most the first 256 KiB are shown; the header says so.',
    parameters: z.strictObject({ path: z.string().describe('File, relative to the workspace.') }),
    effect: 'read',
    risk: 'low',
    timeoutMs: 5 * SECOND_MS,
    parallel: () => true,
    summarize: ({ path }) => `Read ${path}`,
    execute: async ({ path: text }, { signal }) => {
      const path = parseFilePath(text);
      return explainFileErrors(path.shown, () => readText(workspace, path, signal));
    },
  });
}

async function readText(workspace: Workspace, path: WorkspacePath, signal: AbortSignal): Promise<string> {
  const place = await locate(workspace, path);
  const { bytes, sizeBytes, isWhole } = await readRegularFile(place, { maxBytes: MAX_VIEW_BYTES, signal });
  const text = textOfBytes(bytes, { mayBeCut: !isWhole });
  if (text === undefined) {
    throw new ToolRefused(`${quotePath(path.shown)} is not a UTF-8 text file (${shownBytes(sizeBytes)}).`);
  }
  const size = isWhole
    ? shownBytes(sizeBytes)
    : `first ${shownBytes(Buffer.byteLength(text))} of ${shownBytes(sizeBytes)}`;
  return `[${path.shown}, ${size}]\n${text}`;
}
