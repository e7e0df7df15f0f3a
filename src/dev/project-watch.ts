import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A folder that holds what was installed, built or recorded has no code that somebody writes. */
const LEFT_OUT = /^(\.|node_modules$|dist$|build$|coverage$)/;
const CODE = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json']);
const MAX_FOLDERS = 2_000;
/** Stands for a file that was written while it was being loaded: whichever state was seen, it is not known. */
const UNKNOWN = 'unknown';
const MISSING = 'missing';

/** One load of the project's code. */
export interface ProjectLoad {
  /** When it began, milliseconds since 1970. */
  readonly beganAtMs: number;
  /** Every file it loaded, absolute. */
  readonly files: readonly string[];
  /** False when it failed: a file that it missed may come. */
  readonly ok: boolean;
}

/** Knows whether the project's code is another than the one that was loaded last. */
export interface ProjectWatch {
  /** Takes note of a load, as if all of it had happened when `isChanged` was last asked. */
  follow(load: ProjectLoad): Promise<void>;
  /**
   * True when a file that was loaded has other content now, or is gone or there again; after a load that failed also when
   * a file of code has come or gone in the folder. Only once the files have been the same for two calls in a row, so that
   * several quick saves are one change.
   */
  isChanged(): Promise<boolean>;
}

/**
 * Watches the files that a project's code consists of, and no others: what tools write into the same folder changes
 * nothing. It looks instead of being told, which works on every file system, and for files that are replaced or gone.
 *
 * @param folder Where files that a load missed are looked for: the folder of the configuration.
 */
export function createProjectWatch(folder: string): ProjectWatch {
  /** Digests of what was loaded last. */
  let loaded = new Map<string, string>();
  /** Digests when `isChanged` last compared: what a load that follows finds, or an older state. */
  let compared = new Map<string, string>();
  let names = '';
  let comparedNames = '';
  let isBroken = false;
  let lastLook = '';
  let comparedLook = '';

  return {
    async follow({ beganAtMs, files, ok }) {
      // After a failure the files of the load before count as well: the failed one may not have come to them.
      const paths = ok ? files : [...new Set([...files, ...loaded.keys()])];
      loaded = new Map(
        await Promise.all(
          paths.map(async (path) => [path, compared.get(path) ?? (await digestSince(path, beganAtMs))] as const),
        ),
      );
      isBroken = !ok;
      names = comparedNames;
      lastLook = '';
      comparedLook = '';
    },
    async isChanged() {
      const paths = [...loaded.keys()];
      const nowNames = isBroken ? await codeNames(folder) : '';
      const look = [nowNames, ...(await Promise.all(paths.map(lookAt)))].join('\n');
      if (look !== lastLook) {
        lastLook = look;
        return false;
      }
      if (look === comparedLook) {
        return false;
      }
      comparedLook = look;
      compared = new Map(await Promise.all(paths.map(async (path) => [path, await digestOf(path)] as const)));
      const isOther = paths.some((path) => compared.get(path) !== loaded.get(path)) || (isBroken && nowNames !== names);
      if (isOther) {
        comparedNames = isBroken ? nowNames : await codeNames(folder);
      }
      return isOther;
    },
  };
}

/** Changes whenever the file is written, replaced or gone. */
async function lookAt(path: string): Promise<string> {
  const status = await stat(path).catch(() => undefined);
  return status === undefined ? MISSING : `${status.ino} ${status.size} ${status.mtimeMs}`;
}

async function digestOf(path: string): Promise<string> {
  const content = await readFile(path).catch(() => undefined);
  return content === undefined ? MISSING : createHash('sha256').update(content).digest('hex');
}

async function digestSince(path: string, beganAtMs: number): Promise<string> {
  const status = await stat(path).catch(() => undefined);
  return status !== undefined && status.mtimeMs >= beganAtMs ? UNKNOWN : digestOf(path);
}

/** Names of all files of code in a folder and below it, one a line. */
async function codeNames(root: string): Promise<string> {
  const found: string[] = [];
  const folders = [root];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter(({ name }) => !LEFT_OUT.test(name))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && folders.length < MAX_FOLDERS) {
        folders.push(path);
      } else if (CODE.has(extname(entry.name))) {
        found.push(path);
      }
    }
  }
  return found.sort().join('\n');
}
