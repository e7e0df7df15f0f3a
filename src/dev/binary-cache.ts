import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import type { BinaryPin } from './binary-pins';
import { fileDigest } from './file-digest';
import { makeFolder } from './make-folder';
import type { Environment } from './run-command';

const FETCH_PREFIX = '.fetch-';

/**
 * The user's cache folder for fetched binaries: `$XDG_CACHE_HOME/holdpoint` when that is set, else
 * `~/Library/Caches/holdpoint` on macOS and `~/.cache/holdpoint` elsewhere. It is not made here.
 */
export function binaryCacheFolder(environment: Environment, platform: string = process.platform): string {
  const configured = environment['XDG_CACHE_HOME'];
  if (configured) {
    return join(configured, 'holdpoint');
  }
  const home = environment['HOME'] || homedir();
  return platform === 'darwin' ? join(home, 'Library', 'Caches', 'holdpoint') : join(home, '.cache', 'holdpoint');
}

/** Where the binary of a pin lives in the cache folder. */
export function cachedBinaryPath(folder: string, pin: BinaryPin): string {
  return join(folder, `${pin.fileName}-${pin.version}-${pin.platform}`);
}

/** `valid`: the file has the pinned digest. `corrupt`: a file is there and has not. */
export async function checkCachedBinary(folder: string, pin: BinaryPin): Promise<'valid' | 'corrupt' | 'missing'> {
  const digest = await fileDigest(cachedBinaryPath(folder, pin));
  if (digest === null) {
    return 'missing';
  }
  return digest === pin.binarySha256 ? 'valid' : 'corrupt';
}

/**
 * Fetches a binary into the cache folder and returns its path. `fetchInto` gets an empty folder of its own and returns
 * the path of the file it unpacked there; the file is checked, made executable and moved into place by a rename, so
 * others see the old file or the whole new one, and two processes may do this at once.
 *
 * Throws `download_failed` when the file has another digest than the pin, and what `fetchInto` throws.
 */
export async function installBinary(
  folder: string,
  pin: BinaryPin,
  fetchInto: (temporaryFolder: string) => Promise<string>,
): Promise<string> {
  makeFolder(folder);
  await removeAbandonedFetches(folder);
  const temporaryFolder = await mkdtemp(join(folder, FETCH_PREFIX));
  try {
    const unpacked = await fetchInto(temporaryFolder);
    const digest = await fileDigest(unpacked);
    if (digest !== pin.binarySha256) {
      throw new HoldpointError(
        'download_failed',
        `the ${pin.fileName} that arrived has SHA-256 ${digest ?? '(no file)'}, expected ${pin.binarySha256}`,
        { sha256: digest, expectedSha256: pin.binarySha256 },
      );
    }
    await chmod(unpacked, 0o755);
    const path = cachedBinaryPath(folder, pin);
    await rename(unpacked, path);
    return path;
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** A fetch that was killed leaves its folder behind; a day later nobody can still be using it. */
async function removeAbandonedFetches(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(FETCH_PREFIX)) {
      const path = join(folder, name);
      const status = await stat(path).catch(() => null);
      if (status !== null && Date.now() - status.mtimeMs > DAY_MS) {
        await rm(path, { recursive: true, force: true });
      }
    }
  }
}
