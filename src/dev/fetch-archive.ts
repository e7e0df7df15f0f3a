import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { MINUTE_MS, SECOND_MS } from '../core/durations';
import { downloadFailed } from './download-failed';
import { type Environment, runCommand } from './run-command';

/** A machine without a way out must fall through to the next source fast. */
const ANSWER_TIMEOUT_MS = 5 * SECOND_MS;
/** Between two pieces of a download that has begun. */
const STALL_TIMEOUT_MS = 20 * SECOND_MS;
const UNPACK_TIMEOUT_MS = 2 * MINUTE_MS;
const MAX_BYTES = 400_000_000;

export interface ArchiveOptions {
  readonly url: string;
  /** The one file to take out of the archive; it lies at the top. */
  readonly fileName: string;
  readonly environment: Environment;
  /** Ends the download. */
  readonly signal?: AbortSignal | undefined;
  /** How long the host may take to begin its answer. @default 5,000 */
  readonly answerTimeoutMs?: number;
}

/**
 * Downloads a gzipped tar file over HTTP into `folder`, unpacks the one named file and returns its path. The file is
 * not checked here. Throws `download_failed` with the reason: no answer in time, 20 s without a byte, a status other
 * than 200, more than 400 MB, or an archive without that file.
 */
export async function fetchArchive(folder: string, options: ArchiveOptions): Promise<string> {
  try {
    const archive = join(folder, 'archive.tar.gz');
    await download(options, archive);
    await runCommand('tar', ['-xzf', archive, '-C', folder, options.fileName], {
      environment: options.environment,
      timeoutMs: UNPACK_TIMEOUT_MS,
      signal: options.signal,
    });
    return join(folder, options.fileName);
  } catch (error) {
    throw downloadFailed(error, { url: options.url });
  }
}

async function download({ url, signal, answerTimeoutMs }: ArchiveOptions, path: string): Promise<void> {
  const controller = new AbortController();
  const abort = (timeoutMs: number) =>
    setTimeout(() => controller.abort(new Error(`no data for ${timeoutMs} ms`)), timeoutMs);
  let timer = abort(answerTimeoutMs ?? ANSWER_TIMEOUT_MS);
  const file = await open(path, 'w');
  try {
    const signals = signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]);
    const response = await fetch(url, { signal: signals });
    if (response.status !== 200 || response.body === null) {
      controller.abort();
      throw new Error(`HTTP status ${response.status}`);
    }
    let bytes = 0;
    for await (const piece of response.body) {
      clearTimeout(timer);
      timer = abort(STALL_TIMEOUT_MS);
      bytes += piece.byteLength;
      if (bytes > MAX_BYTES) {
        throw new Error(`more than ${MAX_BYTES} bytes`);
      }
      await file.write(piece);
    }
  } finally {
    clearTimeout(timer);
    await file.close();
  }
}
