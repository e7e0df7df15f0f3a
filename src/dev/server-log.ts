import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const MAX_BYTES = 10_000_000;
const TAIL_BYTES = 16_384;

/** Size of a log file in bytes, 0 when it is missing. */
export function logSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Opens a log file for appending and returns its descriptor, which the caller closes. A file of more than 10 MB is
 * renamed to `<path>.previous` first, so the two together stay small however often the server starts.
 */
export function openLog(path: string): number {
  if (logSize(path) > MAX_BYTES) {
    renameSync(path, `${path}.previous`);
  }
  return openSync(path, 'a', 0o600);
}

/** The last line of a log file that is not empty and lies behind `fromByte`, at most 16 KiB of it; null if none. */
export function lastLogLine(path: string, fromByte: number): string | null {
  const size = logSize(path);
  const start = Math.max(fromByte, size - TAIL_BYTES);
  if (size <= start) {
    return null;
  }
  const buffer = Buffer.alloc(size - start);
  const file = openSync(path, 'r');
  try {
    readSync(file, buffer, 0, buffer.length, start);
  } finally {
    closeSync(file);
  }
  const line = buffer
    .toString('utf8')
    .split('\n')
    .findLast((entry) => entry.trim() !== '');
  return line === undefined ? null : line.trim();
}
