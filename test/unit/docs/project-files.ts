import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT_FOLDER = join(__dirname, '..', '..', '..');

/** The text of a file of the project; `path` is relative to its root. */
export function readProjectFile(path: string): string {
  return readFileSync(join(ROOT_FOLDER, path), 'utf8');
}

/** Paths of all files that belong to the project: those git knows, and those it would take. */
export function projectFiles(): readonly string[] {
  const parameters = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const output = execFileSync('git', parameters, { cwd: ROOT_FOLDER, encoding: 'utf8', maxBuffer: 16_777_216 });
  return output.split('\n').filter((path) => path !== '');
}

/** Paths of everything people read: Markdown files. */
export function markdownFiles(): readonly string[] {
  return projectFiles().filter((path) => path.endsWith('.md'));
}
