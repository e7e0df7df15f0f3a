import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and the missing ones above it, each for its user only. Node's own `recursive` never comes back where
 * the system says that a folder to be made does not exist (below /proc). Throws what the system says.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    return;
  }
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') {
      throw error;
    }
  }
}
