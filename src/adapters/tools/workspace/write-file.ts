import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { ToolRefused } from '../../../core/tool-refused';
import { defineTool, type ToolContext, type ToolDefinition, type VerifyAnswer } from '../../../definitions/define-tool';
import { writeAtomically } from './atomic-write';
import { checkContentSize } from './check-content-size';
import { fileDifference } from './file-difference';
import {
  approvedContent,
  boundState,
  checkApproved,
  type FileState,
  fileStateDigest,
  withFileState,
} from './file-state';
import type { Workspace } from './locate';
import { shownBytes } from './utf8-text';
import { verifyByState } from './verify-by-state';
import { parseFilePath, quotePath, type WorkspacePath } from './workspace-path';

/** Arguments that passed the checks on their text. */
interface WriteRequest {
  readonly path: WorkspacePath;
  readonly bytes: Buffer;
}

/** Writes a whole text file of a workspace, in one step. Missing folders inside the workspace are made. */
export function writeFileTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'write_file',
    description:
      'Write a whole UTF-8 text file of the workspace: a new one, or in place of the old content. Missing folders are ' +
      'made. At most 1 MiB. A person sees the difference and decides before anything is written.',
    parameters: z.strictObject({
      path: z.string().describe('File, relative to the workspace.'),
      content: z.string().describe('The whole new content, exactly as it is to be.'),
    }),
    effect: 'write',
    risk: 'medium',
    idempotent: true,
    timeoutMs: 5 * SECOND_MS,
    summarize: ({ path, content }) => `Write ${path} (${shownBytes(Buffer.byteLength(content))})`,
    precondition: async (args, { signal }) =>
      withFileState(workspace, checkRequest(args).path, signal, (state) => boundState(state, fileStateDigest(state))),
    preview: async (args, { signal }) => {
      const { path } = checkRequest(args);
      return withFileState(workspace, path, signal, ({ place, bytes }) => {
        const newFolders = place.missingFolders.length === 0 ? [] : path.segments.slice(0, -1);
        return fileDifference({ path: path.shown, before: bytes, after: args.content, newFolders });
      });
    },
    verify: async (args, context) => {
      const request = checkRequest(args);
      return verifyByState(workspace, request.path, context, (state) => verifyAnswer(request, state, context));
    },
    execute: async (args, context) => {
      const request = checkRequest(args);
      return withFileState(workspace, request.path, context.signal, (state) => writeOnce(request, state, context));
    },
  });
}

function checkRequest(args: { readonly path: string; readonly content: string }): WriteRequest {
  const path = parseFilePath(args.path);
  const bytes = Buffer.from(args.content);
  checkContentSize('The content has', bytes.length);
  if (bytes.toString() !== args.content) {
    throw new ToolRefused('The content holds half a character (a lone surrogate), which a text file can not hold.');
  }
  return { path, bytes };
}

/**
 * The disk shows only the state now. The content that was asked for means that the write took effect; the state the
 * approver saw means that it did not, since a write is one step; anything else may be either, changed again since.
 */
function verifyAnswer({ bytes }: WriteRequest, state: FileState, { approvedPrecondition }: ToolContext): VerifyAnswer {
  const approved = approvedContent(state, approvedPrecondition);
  if (hasContent(state, bytes)) {
    return 'applied';
  }
  return approved === fileStateDigest(state) ? 'not_applied' : 'unknown';
}

/** A repeat finds its own content and does nothing; a file that somebody else changed meanwhile is left alone. */
async function writeOnce({ path, bytes }: WriteRequest, state: FileState, context: ToolContext): Promise<string> {
  const { approvedPrecondition, idempotencyKey, signal } = context;
  const shown = quotePath(path.shown);
  const size = shownBytes(bytes.length);
  const approved = approvedContent(state, approvedPrecondition);
  if (hasContent(state, bytes)) {
    return `${shown} has exactly this content (${size}).`;
  }
  checkApproved(state, approved);
  await writeAtomically({ place: state.place, bytes, idempotencyKey, signal });
  return state.bytes === undefined ? `Created ${shown} (${size}).` : `Wrote ${shown} (${size}).`;
}

function hasContent(state: FileState, bytes: Buffer): boolean {
  return state.bytes !== undefined && Buffer.compare(state.bytes, bytes) === 0;
}
