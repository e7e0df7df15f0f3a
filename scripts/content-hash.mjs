import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Every file below a path, sorted. A path that is a file is its own list; a path that does not exist has no files.
 * @param {string} path
 * @returns {string[]}
 */
export function listFiles(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => listFiles(join(path, name)));
}

/**
 * SHA-256 over the names and contents of all files below the given paths. It does not depend on times, so a fresh
 * checkout of the same sources has the same hash.
 * @param {string} rootFolder names are taken relative to it
 * @param {readonly string[]} paths files and folders, relative to rootFolder
 * @returns {string} hexadecimal
 */
export function contentHash(rootFolder, paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => listFiles(join(rootFolder, path)))) {
    const content = readFileSync(file);
    hash.update(`${relative(rootFolder, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
