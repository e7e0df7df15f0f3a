import { isToolRefused } from '../../../core/tool-refused';
import type { ToolContext, VerifyAnswer } from '../../../definitions/define-tool';
import { type FileState, withFileState } from './file-state';
import type { Workspace } from './locate';
import type { WorkspacePath } from './workspace-path';

/** Judges a write by what is on the disk now. Where something else lies there now, the disk does not tell any more. */
export async function verifyByState(
  workspace: Workspace,
  path: WorkspacePath,
  { signal }: ToolContext,
  judge: (state: FileState) => VerifyAnswer,
): Promise<VerifyAnswer> {
  try {
    return await withFileState(workspace, path, signal, judge);
  } catch (error) {
    if (isToolRefused(error)) {
      return 'unknown';
    }
    throw error;
  }
}
