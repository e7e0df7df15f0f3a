import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { defineTool, type ToolContext, type ToolDefinition, type VerifyAnswer } from '../../../definitions/define-tool';
import { deletedFile } from './file-difference';
import {
  approvedContent,
  boundState,
  checkApproved,
  checkExists,
  type FileState,
  fileStateDigest,
  withFileState,
} from './file-state';
import type { Workspace } from './locate';
import { removeFile } from './remove-file';
import { shownBytes } from './utf8-text';
import { verifyByState } from './verify-by-state';
import { parseFilePath, quotePath } from './workspace-path';

/** Deletes one file of a workspace. Of high risk: unlike the other writes it can't be undone from what the log holds. */
export function deleteFileTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'delete_file',
    description:
      'Delete one file of the workspace, of at most 4 MiB. Folders are not deleted. A person sees what would be lost ' +
      'and decides before anything is deleted.',
    parameters: z.strictObject({ path: z.string().describe('File, relative to the workspace.') }),
    effect: 'write',
    risk: 'high',
    idempotent: false,
    timeoutMs: 5 * SECOND_MS,
    summarize: ({ path }) => `Delete ${path}`,
    precondition: async ({ path }, { signal }) =>
      withFileState(workspace, parseFilePath(path), signal, (state) =>
        boundState(state, fileStateDigest(checkExists(state))),
      ),
    preview: async (args, { signal }) => {
      const path = parseFilePath(args.path);
      return withFileState(workspace, path, signal, (state) => deletedFile(path.shown, checkExists(state).bytes));
    },
    verify: async ({ path }, context) =>
      verifyByState(workspace, parseFilePath(path), context, (state) => verifyAnswer(state, context)),
    execute: async ({ path }, context) =>
      withFileState(workspace, parseFilePath(path), context.signal, (state) => deleteOnce(state, context)),
  });
}

/**
 * A file that was there when it was approved and is gone now is what was asked for, whoever did it. Where its folder is
 * gone too, it may have been moved away as a whole.
 */
function verifyAnswer(state: FileState, { approvedPrecondition }: ToolContext): VerifyAnswer {
  const approved = approvedContent(state, approvedPrecondition);
  if (approved === undefined) {
    return 'unknown';
  }
  if (state.bytes === undefined) {
    return state.place.missingFolders.length === 0 ? 'applied' : 'unknown';
  }
  return approved === fileStateDigest(state) ? 'not_applied' : 'unknown';
}

async function deleteOnce(state: FileState, { approvedPrecondition, signal }: ToolContext): Promise<string> {
  const shown = quotePath(state.place.path.shown);
  const approved = approvedContent(state, approvedPrecondition);
  if (state.bytes === undefined && approved !== undefined) {
    return `${shown} is gone already.`;
  }
  const { place, bytes } = checkExists(state);
  checkApproved(state, approved);
  signal.throwIfAborted();
  await removeFile(place);
  return `Deleted ${shown} (${shownBytes(bytes.length)}).`;
}
