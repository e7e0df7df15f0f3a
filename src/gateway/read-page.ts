import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldpointError } from '../core/errors';

/** A file of the page as it is served. */
export interface PageFile {
  /** Where it is served, for example `/page.js`. */
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
}

export type Page = readonly PageFile[];

const FILES = [
  { path: '/', name: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/page.js', name: 'page.js', type: 'text/javascript; charset=utf-8' },
  { path: '/page.css', name: 'page.css', type: 'text/css; charset=utf-8' },
  { path: '/icon.svg', name: 'icon.svg', type: 'image/svg+xml' },
] as const;

/**
 * Reads the built page. Its files are named here and read once: nothing is ever looked up by a path that somebody sent.
 * Throws `invalid_config` when one of them is missing.
 */
export function readPage(folder: string): Page {
  return FILES.map(({ path, name, type }) => ({ path, type, content: readFile(join(folder, name)) }));
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new HoldpointError('invalid_config', `the page is not built: ${file} is missing`, {}, { cause: error });
  }
}
