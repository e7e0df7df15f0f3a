import { isRecord } from '../../../core/json';
import { ToolRefused } from '../../../core/tool-refused';
import { quotePath } from './workspace-path';

const EXPLANATIONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['EEXIST', 'was made by somebody else meanwhile; look at it again'],
  ['EACCES', 'can not be used: no permission'],
  ['EPERM', 'can not be used: no permission'],
  ['ENOTDIR', 'goes through something that is not a folder'],
  ['EISDIR', 'is a folder, not a file'],
  ['ELOOP', 'is a symbolic link; links are not followed'],
  ['ENAMETOOLONG', 'is too long for this file system'],
  ['ENXIO', 'is not a regular file'],
  ['ENOSPC', 'can not be written: the disk is full'],
  ['EDQUOT', 'can not be written: the disk quota is used up'],
  ['EBUSY', 'can not be replaced or deleted: the system holds it in its place'],
  ['EROFS', 'can not be written: the file system is read-only'],
]);

/** Runs a file operation; errors of the file system that a model can act on become refusals in plain words. */
export async function explainFileErrors<Value>(shownPath: string, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    const explanation = EXPLANATIONS.get(fileErrorCode(error) ?? '');
    if (explanation === undefined) {
      throw error;
    }
    throw new ToolRefused(`${quotePath(shownPath)} ${explanation}.`, { cause: error });
  }
}

/** The system's code of an error, such as `ENOENT`, or undefined. */
export function fileErrorCode(error: unknown): string | undefined {
  // Read without instanceof: it does not hold for errors of another realm.
  const code = isRecord(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
