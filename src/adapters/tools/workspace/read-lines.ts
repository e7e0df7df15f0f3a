import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './read-regular-file';

/** How far into a file lines are counted: well under a second. */
export const MAX_SCANNED_BYTES = 268_435_456;
const PIECE_BYTES = 262_144;
const LINE_END = 0x0a;

/** Which lines are wanted, at most how much of them. */
export interface LinesWanted {
  /** The first line, counted from 1. */
  readonly offset: number;
  /** How many lines, from 1. */
  readonly limit: number;
  /** Size of the file when it was opened; what it grows by is not read. */
  readonly sizeBytes: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Lines of a file. */
export interface LinesRead {
  /** Whole lines with their line ends, or the start of one line that is longer than `maxBytes`. */
  readonly bytes: Buffer;
  /** How many lines `bytes` holds; a line that is cut counts. 0 when the file has no line `offset`. */
  readonly lineCount: number;
  /** True when `bytes` is only the start of line `offset`. */
  readonly isLineCut: boolean;
  /** Lines of the file, as far as it was looked through. */
  readonly totalLines: number;
  /** False when the file goes on behind what was looked through (256 MiB). */
  readonly isWhole: boolean;
  /** True when a NUL was found: this is no text. */
  readonly hasNul: boolean;
}

/**
 * Reads some lines of a file, however large it is: memory holds one piece of it and the lines that were asked for. A
 * line ends with LF; a last line without one counts.
 */
export async function readLines(handle: FileHandle, wanted: LinesWanted): Promise<LinesRead> {
  const scan = await scanLines(handle, wanted);
  const { startByte, ...found } = scan;
  if (startByte === undefined || scan.hasNul) {
    return { ...found, bytes: Buffer.alloc(0), lineCount: 0, isLineCut: false };
  }
  // One byte more than wanted says whether the last line ends there.
  const bytes = await readBytes(handle, { from: startByte, maxBytes: wanted.maxBytes + 1, signal: wanted.signal });
  return { ...found, ...firstLines(bytes, wanted) };
}

interface Scan extends Pick<LinesRead, 'totalLines' | 'isWhole' | 'hasNul'> {
  /** Where line `offset` begins; undefined when there is no such line. */
  readonly startByte: number | undefined;
}

async function scanLines(handle: FileHandle, { offset, sizeBytes, signal }: LinesWanted): Promise<Scan> {
  const end = Math.min(sizeBytes, MAX_SCANNED_BYTES);
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let position = 0;
  let lineEnds = 0;
  let lastByte = LINE_END;
  let startByte: number | undefined;
  let bytesRead = -1;
  // Nothing read before the end: the file shrank, which is noticed when it is closed.
  while (position < end && bytesRead !== 0) {
    signal.throwIfAborted();
    ({ bytesRead } = await handle.read(piece, 0, Math.min(PIECE_BYTES, end - position), position));
    for (let index = 0; index < bytesRead; index += 1) {
      if (startByte === undefined && lineEnds === offset - 1) {
        startByte = position + index;
      }
      lastByte = piece[index] ?? 0;
      if (lastByte === 0) {
        return { startByte, totalLines: lineEnds, isWhole: false, hasNul: true };
      }
      lineEnds += lastByte === LINE_END ? 1 : 0;
    }
    position += bytesRead;
  }
  const isWhole = end === sizeBytes;
  const unfinished = isWhole && lastByte !== LINE_END ? 1 : 0;
  return { startByte, totalLines: lineEnds + unfinished, isWhole, hasNul: false };
}

/** The lines at the start of `bytes`, which is longer than `maxBytes` when the file goes on. */
function firstLines(
  bytes: Buffer,
  { limit, maxBytes }: LinesWanted,
): Pick<LinesRead, 'bytes' | 'lineCount' | 'isLineCut'> {
  let end = 0;
  let lineCount = 0;
  while (lineCount < limit && end < bytes.length) {
    const lineEnd = bytes.indexOf(LINE_END, end);
    const next = lineEnd === -1 ? bytes.length : lineEnd + 1;
    if (next > maxBytes) {
      break;
    }
    end = next;
    lineCount += 1;
  }
  return lineCount === 0
    ? { bytes: bytes.subarray(0, maxBytes), lineCount: 1, isLineCut: true }
    : { bytes: bytes.subarray(0, end), lineCount, isLineCut: false };
}
