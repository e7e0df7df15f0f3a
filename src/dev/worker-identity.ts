import { createHash } from 'node:crypto';

/** Name under which the worker of a state folder polls: the same over restarts, another one for every folder. */
export function workerIdentity(folderPath: string): string {
  return `holdpoint-${createHash('sha256').update(folderPath).digest('hex').slice(0, 12)}`;
}
