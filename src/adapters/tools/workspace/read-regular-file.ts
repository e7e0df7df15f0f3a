import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ToolRefused } from '../../../core/tool-refused';
import { isSameFile } from './held-folder';
import type { Place } from './locate';
import { quotePath } from './workspace-path';

const PIECE_BYTES = 65_536;
/**
 * Without O_NONBLOCK, opening a pipe that took a file's place would wait for a writer; without O_NOCTTY a terminal
 * could become ours.
 */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The start of a file. */
export interface FileHead {
  readonly bytes: Buffer;
  /** Size of the whole file. */
  readonly sizeBytes: number;
  /** True when `bytes` is the whole file. */
  readonly isWhole: boolean;
}

/** What a file is read by: its folder held open, and what was seen there. */
type SeenFile = Pick<Place, 'path' | 'name' | 'stats' | 'held'>;

/**
 * Reads at most `maxBytes` of a regular file. Throws ToolRefused for what `openRegularFile` refuses, and when the file
 * changed while it was read.
 */
export async function readRegularFile(
  file: SeenFile,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FileHead> {
  return openRegularFile(file, async (handle, stats) => {
    // One byte more than asked for says whether that was all.
    const bytes = await readBytes(handle, { from: 0, maxBytes: options.maxBytes + 1, signal: options.signal });
    const isWhole = bytes.length <= options.maxBytes;
    return isWhole
      ? { bytes, sizeBytes: bytes.length, isWhole }
      : { bytes: bytes.subarray(0, options.maxBytes), sizeBytes: Number(stats.size), isWhole };
  });
}

/**
 * Opens a regular file for reading while `use` runs: without following links and without waiting, and by descriptor it
 * has to be the file that was looked at. Throws ToolRefused when it is missing, a folder, a device or a pipe, when it
 * has several hard links, when another file took its place since it was looked at, and when it changed before `use` was
 * done: then what `use` returns may be half of the old content and half of the new.
 */
export async function openRegularFile<Value>(
  { path, name, stats: seen, held }: SeenFile,
  use: (handle: FileHandle, stats: BigIntStats) => Promise<Value>,
): Promise<Value> {
  const shown = quotePath(path.shown);
  if (seen === undefined) {
    throw new ToolRefused(`${shown} does not exist.`);
  }
  checkRegular(seen, shown);
  const handle = await open(held.entry(name), READ_FLAGS);
  try {
    const stats = await handle.stat({ bigint: true });
    checkRegular(stats, shown);
    if (!isSameFile(seen, stats)) {
      throw new ToolRefused(`${shown} was replaced while it was opened. Try again.`);
    }
    await held.checkInPlace();
    const value = await use(handle, stats);
    const after = await handle.stat({ bigint: true });
    if (after.size !== stats.size || after.mtimeNs !== stats.mtimeNs) {
      throw new ToolRefused(`${shown} changed while it was read. Try again.`);
    }
    return value;
  } finally {
    await handle.close();
  }
}

/**
 * Throws ToolRefused for everything but a regular file with one name. Another name of the same file may lie outside the
 * workspace, where nobody meant the tools to reach.
 */
export function checkRegular(stats: BigIntStats, shown: string): void {
  if (stats.isDirectory()) {
    throw new ToolRefused(`${shown} is a folder, not a file.`);
  }
  if (!stats.isFile()) {
    throw new ToolRefused(`${shown} is not a regular file.`);
  }
  if (stats.nlink > 1n) {
    throw new ToolRefused(`${shown} has several hard links; such files are not touched.`);
  }
}

/** Reads from a position of a file until `maxBytes` are there or the file ends. */
export async function readBytes(
  handle: FileHandle,
  { from, maxBytes, signal }: { readonly from: number; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    signal.throwIfAborted();
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, maxBytes - length));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from + length);
    if (bytesRead === 0) {
      break;
    }
    pieces.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(pieces, length);
}
