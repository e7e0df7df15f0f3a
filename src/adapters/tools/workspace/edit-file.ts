import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { ToolRefused } from '../../../core/tool-refused';
import { wellFormedText } from '../../../core/well-formed-text';
import { defineTool, type ToolContext, type ToolDefinition, type VerifyAnswer } from '../../../definitions/define-tool';
import { digestOfBytes } from '../../../digests/digest-of';
import { writeAtomically } from './atomic-write';
import { editText, type TextEdit } from './edit-text';
import { fileDifference } from './file-difference';
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
import { shownBytes, textOfBytes } from './utf8-text';
import { verifyByState } from './verify-by-state';
import { parseFilePath, quotePath, type WorkspacePath } from './workspace-path';

/** Arguments that passed the checks on their text. */
interface EditRequest extends TextEdit {
  readonly path: WorkspacePath;
}

/** Digests of the content an edit was approved on, and of what the edit makes of it. */
interface ApprovedEdit {
  readonly before: string;
  readonly after: string;
}

/**
 * Replaces a part of a text file of a workspace, in one step. An edit can't be told from its arguments once it is made
 * (the new text may hold the old one), so its precondition names both contents: the one it was approved on and the one
 * it leads to. With these the disk says whether it took effect, and a repeat does nothing.
 */
export function editFileTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'edit_file',
    description:
      'Replace a part of a UTF-8 text file of the workspace. oldText has to occur exactly once, unless replaceAll is ' +
      'true; repeat it exactly as read_file shows it, without its header. Line ends of the file stay as they are. The ' +
      'result may have at most 1 MiB. A person sees the difference and decides before anything is written.',
    parameters: z.strictObject({
      path: z.string().describe('File, relative to the workspace.'),
      oldText: z.string().describe('The part to replace, exactly as it is in the file.'),
      newText: z.string().describe('What takes its place; may be empty.'),
      replaceAll: z.boolean().optional().describe('Replace every occurrence. Default: false.'),
    }),
    effect: 'write',
    risk: 'medium',
    idempotent: false,
    timeoutMs: 5 * SECOND_MS,
    summarize: ({ path, replaceAll = false }) => `Edit ${path}${replaceAll ? ', every occurrence' : ''}`,
    precondition: async (args, { signal }) => {
      const request = checkRequest(args);
      return withFileState(workspace, request.path, signal, (state) => {
        const { before, after } = editedContent(request, state);
        return boundState(state, `${digestOfBytes(before)}.${digestOfBytes(after)}`);
      });
    },
    preview: async (args, { signal }) => {
      const request = checkRequest(args);
      return withFileState(workspace, request.path, signal, (state) => {
        const { before, after } = editedContent(request, state);
        return fileDifference({ path: request.path.shown, before, after, newFolders: [] });
      });
    },
    verify: async (args, context) => {
      const { path } = checkRequest(args);
      return verifyByState(workspace, path, context, (state) => verifyAnswer(state, approvedEdit(state, context)));
    },
    execute: async (args, context) => {
      const request = checkRequest(args);
      return withFileState(workspace, request.path, context.signal, (state) => editOnce(request, state, context));
    },
  });
}

function checkRequest(args: {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean | undefined;
}): EditRequest {
  const { oldText, newText, replaceAll = false } = args;
  const path = parseFilePath(args.path);
  if (oldText === '') {
    throw new ToolRefused('oldText is empty. Name the part to replace, or use write_file for a whole file.');
  }
  if (oldText === newText) {
    throw new ToolRefused('oldText and newText are the same; there is nothing to change.');
  }
  for (const [name, text] of Object.entries({ oldText, newText })) {
    if (wellFormedText(text) !== text) {
      throw new ToolRefused(`${name} holds half a character (a lone surrogate), which a text file can not hold.`);
    }
  }
  return { path, oldText, newText, replaceAll };
}

/** Throws ToolRefused for a file that is not there or no text, and for an edit that does not fit it. */
function editedContent(request: EditRequest, state: FileState): { readonly before: Buffer; readonly after: string } {
  const { bytes } = checkExists(state);
  const shown = quotePath(request.path.shown);
  const text = textOfBytes(bytes, { mayBeCut: false });
  if (text === undefined) {
    throw new ToolRefused(`${shown} is not a UTF-8 text file (${shownBytes(bytes.length)}).`);
  }
  return { before: bytes, after: editText(text, request, shown) };
}

function approvedEdit(state: FileState, { approvedPrecondition }: ToolContext): ApprovedEdit | undefined {
  const [before, after] = approvedContent(state, approvedPrecondition)?.split('.') ?? [];
  return before === undefined || after === undefined ? undefined : { before, after };
}

/** Without an approval nothing is known about the content the edit found, so only a person can say. */
function verifyAnswer(state: FileState, approved: ApprovedEdit | undefined): VerifyAnswer {
  switch (fileStateDigest(state)) {
    case approved?.after:
      return 'applied';
    case approved?.before:
      return 'not_applied';
    default:
      return 'unknown';
  }
}

/** A repeat finds its own effect and does nothing; a file that somebody else changed meanwhile is left alone. */
async function editOnce(request: EditRequest, state: FileState, context: ToolContext): Promise<string> {
  const { idempotencyKey, signal } = context;
  const { shown } = request.path;
  const approved = approvedEdit(state, context);
  if (approved?.after === fileStateDigest(state)) {
    return `${quotePath(shown)} has this change already.`;
  }
  checkApproved(state, approved?.before);
  const { after } = editedContent(request, state);
  const bytes = Buffer.from(after);
  await writeAtomically({ place: state.place, bytes, idempotencyKey, signal });
  return `Edited ${quotePath(shown)} (${shownBytes(bytes.length)} now).`;
}
