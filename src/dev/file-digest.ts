import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/**
 * SHA-256 of a regular file, lower-case hexadecimal; null when there is no such file or it is something else (a link
 * could name another file after the check). Throws what the file system says when the file cannot be read.
 */
export async function fileDigest(path: string): Promise<string | null> {
  const status = await lstat(path).catch(() => null);
  if (status === null || !status.isFile()) {
    return null;
  }
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}
