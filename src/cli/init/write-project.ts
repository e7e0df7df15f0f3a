import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HoldpointError } from '../../core/errors';
import { PROJECT_FILES } from './project-files';

/**
 * Writes the files of a first project into a folder, which is made where it is missing. Returns their paths. Throws
 * HoldpointError `file_exists` before anything is written when one of them is there already.
 */
export function writeProject(folder: string): readonly string[] {
  const paths = Object.keys(PROJECT_FILES).map((name) => join(resolve(folder), name));
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length > 0) {
    throw new HoldpointError('file_exists', `nothing was written, since there is ${existing.join(', ')} already`);
  }
  mkdirSync(resolve(folder), { recursive: true });
  for (const [name, text] of Object.entries(PROJECT_FILES)) {
    // Fails on a file that came meanwhile.
    writeFileSync(join(resolve(folder), name), text, { flag: 'wx' });
  }
  return paths;
}
