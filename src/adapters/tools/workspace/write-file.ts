import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { isToolRefused, ToolRefused } from '../../../core/tool-refused';
import { defineTool, type ToolContext, type ToolDefinition, type VerifyAnswer } from '../../../definitions/define-tool';
import { writeAtomically } from './atomic-write';
import { explainFileErrors } from './explain-file-error';
import { fileDifference } from './file-difference';
import { type FileState, fileStateDigest, readFileState } from './file-state';
import type { Workspace } from './locate';
import { shownBytes } from './utf8-text';
import { parseFilePath, quotePath, type WorkspacePath } from './workspace-path';

const MAX_CONTENT_BYTES = 1_048_576;

/** Arguments that passed the checks on their text. */
interface WriteRequest {
  readonly path: WorkspacePath;
  readonly bytes: Buffer;
}

/** Writes a whole text file of a workspace, in one step. Missing folders inside the workspace are made. */
export function writeFileTool(workspace: Workspace): ToolDefinition {
  const stateOf = ({ path }: WriteRequest, { signal }: ToolContext): Promise<FileState> =>
    explainFileErrors(path.shown, () => readFileState(workspace, path, signal));
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
    precondition: async (args, context) => fileStateDigest(await stateOf(checkRequest(args), context)),
    preview: async (args, context) => {
      const request = checkRequest(args);
      const { place, bytes } = await stateOf(request, context);
      const newFolders = place.missingFolders.length === 0 ? [] : request.path.segments.slice(0, -1);
      return fileDifference({ path: request.path.shown, before: bytes, after: args.content, newFolders });
    },
    verify: async (args, context) => {
      const request = checkRequest(args);
      try {
        return verifyAnswer(request, await stateOf(request, context), context);
      } catch (error) {
        if (isToolRefused(error)) {
          // Something else lies there now, so the disk no longer tells.
          return 'unknown';
        }
        throw error;
      }
    },
    execute: async (args, context) => {
      const request = checkRequest(args);
      return writeOnce(request, await stateOf(request, context), context);
    },
  });
}

function checkRequest(args: { readonly path: string; readonly content: string }): WriteRequest {
  const path = parseFilePath(args.path);
  const bytes = Buffer.from(args.content);
  if (bytes.length > MAX_CONTENT_BYTES) {
    const limit = shownBytes(MAX_CONTENT_BYTES);
    throw new ToolRefused(`The content has ${shownBytes(bytes.length)}; at most ${limit} are written at once.`);
  }
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
  if (hasContent(state, bytes)) {
    return 'applied';
  }
  return approvedPrecondition === fileStateDigest(state) ? 'not_applied' : 'unknown';
}

/** A repeat finds its own content and does nothing; a file that somebody else changed meanwhile is left alone. */
async function writeOnce({ path, bytes }: WriteRequest, state: FileState, context: ToolContext): Promise<string> {
  const { approvedPrecondition, idempotencyKey, signal } = context;
  const shown = quotePath(path.shown);
  const size = shownBytes(bytes.length);
  if (hasContent(state, bytes)) {
    return `${shown} has exactly this content (${size}).`;
  }
  if (approvedPrecondition !== undefined && approvedPrecondition !== fileStateDigest(state)) {
    throw new ToolRefused(`${shown} changed after this write was approved. Nothing was written; read it again.`);
  }
  await explainFileErrors(path.shown, () => writeAtomically({ place: state.place, bytes, idempotencyKey, signal }));
  return state.bytes === undefined ? `Created ${shown} (${size}).` : `Wrote ${shown} (${size}).`;
}

function hasContent(state: FileState, bytes: Buffer): boolean {
  return state.bytes !== undefined && Buffer.compare(state.bytes, bytes) === 0;
}
