import { SECOND_MS } from '../core/durations';
import { endProcess } from './end-process';
import { findFolderServers, removeServerRecord } from './server-record';
import type { StateFolder } from './state-folder';

const GRACE_MS = 10 * SECOND_MS;

/**
 * Ends every Temporal server on a folder's database (SIGTERM, after 10 s SIGKILL) and removes `server.json`; the caller
 * holds the folder's lock. Returns the ids of the processes that were ended.
 */
export async function endFolderServers(folder: StateFolder): Promise<readonly number[]> {
  const pids = findFolderServers(folder).map(({ pid }) => pid);
  await Promise.all(pids.map((pid) => endProcess(pid, GRACE_MS)));
  removeServerRecord(folder);
  return pids;
}
