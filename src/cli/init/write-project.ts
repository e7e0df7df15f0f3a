import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HoldpointError } from '../../core/errors';
import { PROJECT_FILES } from './project-files';

/**
 * Writes the files of a first project into a folder, which is made where it is missing. Returns their paths. Throws
 * HoldpointError before anything is written: `file_exists` when one of them is there already, `invalid_request` when
 * the folder cannot be made or written to.
 */
export function writeProject(folder: string): readonly string[] {
  const paths = Object.keys(PROJECT_FILES).map((name) => join(resolve(folder), name));
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length > 0) {
    throw new HoldpointError('file_exists', `nothing was written, since there is ${existing.join(', ')} already`);
  }
  makeFolder(resolve(folder));
  for (const [name, text] of Object.entries(PROJECT_FILES)) {
    // Fails on a file that came meanwhile.
    writeFileSync(join(resolve(folder), name), text, { flag: 'wx' });
  }
  return paths;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new HoldpointError('invalid_request', `expected a folder to write to, got ${path} (${failureOf(error)})`);
  }
}

function failureOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
