import { existsSync } from 'node:fs';
import { endFolderServers } from './end-folder-servers';
import { acquireFolderLock } from './folder-lock';

/**
 * Ends what a killed holdpoint left behind in a state folder: its Temporal server, found by `server.json` or by its
 * command line, never a process that merely has the recorded id. Returns the ids of the processes that were ended;
 * an empty list when there was nothing, also when there is no such folder.
 *
 * @param patienceMs How long a holder of the folder may take to let it go. Default: a second.
 *
 * Throws `folder_in_use` (naming the holder) when a live holdpoint holds the folder, `folder_not_writable`.
 */
export async function stopLeftovers(folder: string, patienceMs?: number): Promise<readonly number[]> {
  if (!existsSync(folder)) {
    return [];
  }
  const lock = await acquireFolderLock(folder, patienceMs);
  try {
    return await endFolderServers(lock.folder);
  } finally {
    lock.release();
  }
}
