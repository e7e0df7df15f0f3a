import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ToolRefused } from '../../../core/tool-refused';
import { isSameFile, type Place } from './locate';
import { quotePath } from './workspace-path';

const PIECE_BYTES = 65_536;
/** Without O_NONBLOCK, opening a pipe that took a file's place would wait for a writer. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The start of a file. */
export interface FileHead {
  readonly bytes: Buffer;
  /** Size of the whole file. */
  readonly sizeBytes: number;
  /** True when `bytes` is the whole file. */
  readonly isWhole: boolean;
}

/**
 * Reads at most `maxBytes` of a regular file. Throws ToolRefused when it is missing, a folder, a device or a pipe, or
 * when another file took its place since it was looked at.
 */
export async function readRegularFile(
  place: Place,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FileHead> {
  const shown = quotePath(place.path.shown);
  if (place.stats === undefined) {
    throw new ToolRefused(`${shown} does not exist.`);
  }
  checkRegular(place.stats, shown);
  const handle = await open(place.absolutePath, READ_FLAGS);
  try {
    const stats = await handle.stat({ bigint: true });
    checkRegular(stats, shown);
    if (!isSameFile(place.stats, stats)) {
      throw new ToolRefused(`${shown} was replaced while it was opened. Try again.`);
    }
    // One byte more than asked for says whether that was all, also of a file that grows meanwhile.
    const bytes = await readHead(handle, options.maxBytes + 1, options.signal);
    const isWhole = bytes.length <= options.maxBytes;
    return isWhole
      ? { bytes, sizeBytes: bytes.length, isWhole }
      : { bytes: bytes.subarray(0, options.maxBytes), sizeBytes: Number(stats.size), isWhole };
  } finally {
    await handle.close();
  }
}

/** Throws ToolRefused for everything but a regular file. */
export function checkRegular(stats: { isFile(): boolean; isDirectory(): boolean }, shown: string): void {
  if (stats.isDirectory()) {
    throw new ToolRefused(`${shown} is a folder, not a file.`);
  }
  if (!stats.isFile()) {
    throw new ToolRefused(`${shown} is not a regular file.`);
  }
}

async function readHead(handle: FileHandle, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    signal.throwIfAborted();
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, maxBytes - length));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, length);
    if (bytesRead === 0) {
      break;
    }
    pieces.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(pieces, length);
}
