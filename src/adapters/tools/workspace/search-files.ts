import { z } from 'zod';
import { SECOND_MS } from '../../../core/durations';
import type { JsonObject } from '../../../core/json';
import { DEFAULT_LIMITS } from '../../../core/limits';
import { defineTool, type ToolDefinition, type ToolOutput } from '../../../definitions/define-tool';
import { explainFileErrors } from './explain-file-error';
import type { HeldFolder } from './held-folder';
import { openFolder, type Workspace } from './locate';
import { matchingLines, patternOfText } from './matching-lines';
import { namePattern } from './name-pattern';
import { readRegularFile } from './read-regular-file';
import { textOfBytes } from './utf8-text';
import { orSkip, type SkipReason, type WalkedFile, walkFiles } from './walk-files';
import { parseWorkspacePath, quotePath } from './workspace-path';

/** What the result holds beside the matches: counts, and names that are shown escaped. */
const REST_BYTES = 1_500;
const MAX_MATCHES_BYTES = DEFAULT_LIMITS.resultBytes - REST_BYTES;
const MAX_UNUSABLE_SHOWN = 3;
/** Files are read whole, one at a time. */
const MAX_FILE_BYTES = 4_194_304;
/** What was found until then is worth more than a timeout. */
const SEARCH_MS = 20 * SECOND_MS;

/** What is searched, how. */
interface SearchRequest {
  readonly pattern: RegExp;
  readonly isWanted: (name: string) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Searches the text files of a workspace for lines that hold a text. The output is `{matches: [{path, line, text}],
 * searchedFiles, truncated}`, in the order of paths and lines, with `skipped` (how many files and folders were left out
 * and why) and `unusable` (names that no path can hold, quoted and escaped) where there are such. Files above 4 MiB are
 * left out; after 20 seconds the search stops with what it has.
 */
export function searchFilesTool(workspace: Workspace): ToolDefinition {
  return defineTool({
    name: 'search_files',
    description:
      'Search the UTF-8 text files of the workspace, or of one folder and the folders in it, for lines that hold a text ' +
      '(plain text, no pattern). Long lines are shortened around the match. "truncated" says that there is more than ' +
      'is shown: narrow the search with "dir" or "files". "skipped" counts what was left out. Links are not followed.',
    parameters: z.strictObject({
      text: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[^\r\n]*$/)
        .describe('What to look for: part of one line, exactly as it is written.'),
      ignoreCase: z.boolean().optional().describe('True to find letters in any case. Default: false.'),
      dir: z.string().optional().describe('Folder, relative to the workspace. Default: the workspace itself.'),
      files: z.string().min(1).max(255).optional().describe('Only files of this name; * stands for anything: "*.ts".'),
    }),
    effect: 'read',
    risk: 'low',
    timeoutMs: 30 * SECOND_MS,
    parallel: () => true,
    summarize: ({ text, dir }) => `Search ${dir ?? '.'} for ${text}`,
    execute: async ({ text, ignoreCase = false, dir = '', files = '*' }, { signal }) => {
      const path = parseWorkspacePath(dir);
      const request = { pattern: patternOfText(text, { ignoreCase }), isWanted: namePattern(files), signal };
      return explainFileErrors(path.shown, () => openFolder(workspace, path, (folder) => search(folder, request)));
    },
  });
}

async function search(folder: HeldFolder, request: SearchRequest): Promise<ToolOutput> {
  const { pattern, isWanted, signal } = request;
  const stopAt = performance.now() + SEARCH_MS;
  const skipped = new Map<SkipReason, number>();
  const unusable: string[] = [];
  const skip = (reason: SkipReason, name: string): void => {
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    if (reason === 'unusableName' && unusable.length < MAX_UNUSABLE_SHOWN) {
      unusable.push(quotePath(name.slice(0, 50)));
    }
  };
  const walk = { signal, isWanted, skip };
  const matches: JsonObject[] = [];
  let searchedFiles = 0;
  let bytesLeft = MAX_MATCHES_BYTES;
  let isTruncated = false;
  for await (const file of walkFiles(folder, walk)) {
    const text = await orSkip(walk, file.path.shown, () => textOf(file, { signal, skip }));
    searchedFiles += text === undefined ? 0 : 1;
    for (const found of matchingLines(text ?? '', pattern)) {
      const match = { path: file.path.shown, ...found };
      bytesLeft -= Buffer.byteLength(JSON.stringify(match)) + 1;
      isTruncated = bytesLeft < 0;
      if (isTruncated) {
        break;
      }
      matches.push(match);
    }
    isTruncated ||= performance.now() > stopAt;
    if (isTruncated) {
      break;
    }
  }
  return {
    matches,
    searchedFiles,
    truncated: isTruncated,
    ...(skipped.size > 0 && { skipped: Object.fromEntries(skipped) }),
    ...(unusable.length > 0 && { unusable }),
  };
}

/** The text of a file; undefined when it is skipped. */
async function textOf(
  file: WalkedFile,
  { signal, skip }: { readonly signal: AbortSignal; readonly skip: (reason: SkipReason, name: string) => void },
): Promise<string | undefined> {
  const isTooLarge = (file.stats?.size ?? 0n) > BigInt(MAX_FILE_BYTES);
  const head = isTooLarge ? undefined : await readRegularFile(file, { maxBytes: MAX_FILE_BYTES, signal });
  if (head?.isWhole !== true) {
    skip('tooLarge', file.path.shown);
    return undefined;
  }
  const text = textOfBytes(head.bytes, { mayBeCut: false });
  if (text === undefined) {
    skip('notText', file.path.shown);
  }
  return text;
}
