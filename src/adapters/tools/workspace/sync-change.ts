import { HoldpointError } from '../../../core/errors';
import type { HeldFolder } from './held-folder';

/**
 * Makes a change in a folder last through a power failure. The change has been made by then, so an error of the system
 * is none that may be told as a refusal. Throws HoldpointError `tool_failed`.
 */
export async function syncChange(folder: Pick<HeldFolder, 'sync'>): Promise<void> {
  try {
    await folder.sync();
  } catch (error) {
    throw new HoldpointError(
      'tool_failed',
      'The change was made, but the folder can not be synced.',
      {},
      { cause: error },
    );
  }
}
