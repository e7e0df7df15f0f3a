import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import { DEFAULT_LIMITS } from '../../../core/limits';
import { ToolRefused } from '../../../core/tool-refused';
import { defineTool, type ToolDefinition } from '../../../definitions/define-tool';
import { explainFileErrors } from './explain-file-error';
import { locate, type Workspace } from './locate';
import { type LinesRead, MAX_SCANNED_BYTES, readLines } from './read-lines';
import { openRegularFile } from './read-regular-file';
import { shownBytes, textOfBytes } from './utf8-text';
import { parseFilePath, quotePath, type WorkspacePath } from './workspace-path';

/** A page is as long as a result may be by default, so that nothing is cut from it on its way to the model. */
const MAX_PAGE_BYTES = DEFAULT_LIMITS.resultBytes;
/** What a header needs beside the path. */
const HEADER_BYTES = 200;

/** Which lines of which file. */
interface ReadRequest {
  readonly path: WorkspacePath;
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a text file of a workspace, or some lines of it: at most 8,000 bytes with the header, which is the first line.
 * What follows it is the content exactly as it is on the disk. The header reads
 *
 * - `[path, n bytes]` when the whole file follows,
 * - `[path, lines a-b of c; go on with offset d]` for a part, without the end when line c is the last,
 * - `[path, line a of c, cut after n bytes; …]` when one line alone is longer than a page,
 *
 * with `more than c` for files of more than 256 MiB, whose lines are not all counted.
 */
export function readFileTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'read_file',
    description:
      'Read a UTF-8 text file of the workspace. The first line of the result is a header; what follows is the exact ' +
      'content. About 8,000 bytes are shown at once: the header says which lines these are, of how many, and the ' +
      '"offset" to go on with.',
    parameters: z.strictObject({
      path: z.string().describe('File, relative to the workspace.'),
      offset: z.int().min(1).optional().describe('The first line to show, counted from 1. Default: 1.'),
      limit: z.int().min(1).optional().describe('How many lines to show at most. Default: as many as fit.'),
    }),
    effect: 'read',
    risk: 'low',
    timeoutMs: 5 * SECOND_MS,
    parallel: () => true,
    summarize: ({ path, offset }) => (offset === undefined ? `Read ${path}` : `Read ${path} from line ${offset}`),
    execute: async ({ path: text, offset = 1, limit = Number.MAX_SAFE_INTEGER }, { signal }) => {
      const request: ReadRequest = { path: parseFilePath(text), offset, limit, signal };
      return explainFileErrors(request.path.shown, () => readPage(workspace, request));
    },
  });
}

async function readPage(workspace: Workspace, request: ReadRequest): Promise<string> {
  const maxBytes = MAX_PAGE_BYTES - HEADER_BYTES - Buffer.byteLength(request.path.shown);
  return locate(workspace, request.path, (place) =>
    openRegularFile(place, async (handle, stats) => {
      const sizeBytes = Number(stats.size);
      return pageOf(request, await readLines(handle, { ...request, sizeBytes, maxBytes }), sizeBytes);
    }),
  );
}

function pageOf(request: ReadRequest, read: LinesRead, sizeBytes: number): string {
  const { path, offset } = request;
  const text = read.hasNul ? undefined : textOfBytes(read.bytes, { mayBeCut: read.isLineCut });
  if (text === undefined) {
    throw new ToolRefused(`${quotePath(path.shown)} is not a UTF-8 text file (${shownBytes(sizeBytes)}).`);
  }
  if (read.bytes.length === sizeBytes) {
    return `[${path.shown}, ${shownBytes(sizeBytes)}]\n${text}`;
  }
  if (read.lineCount === 0) {
    throw new ToolRefused(`${quotePath(path.shown)} has no line ${shown(offset)}${reasonFor(read)}`);
  }
  return `[${path.shown}, ${partShown(offset, read, Buffer.byteLength(text))}]\n${text}`;
}

function reasonFor({ totalLines, isWhole }: LinesRead): string {
  return isWhole
    ? `: it has ${shown(totalLines)}.`
    : ` within its first ${shownBytes(MAX_SCANNED_BYTES)}, which hold ${shown(totalLines)}. What is behind them is not read.`;
}

function partShown(
  offset: number,
  { lineCount, isLineCut, totalLines, isWhole }: LinesRead,
  textBytes: number,
): string {
  const last = offset + lineCount - 1;
  const lines = lineCount === 1 ? `line ${shown(offset)}` : `lines ${shown(offset)}-${shown(last)}`;
  const total = isWhole ? shown(totalLines) : `more than ${shown(totalLines)}`;
  const cut = isLineCut ? `, cut after ${shownBytes(textBytes)}` : '';
  const goOn = last < totalLines ? `; go on with offset ${last + 1}` : '';
  return `${lines} of ${total}${cut}${goOn}`;
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
