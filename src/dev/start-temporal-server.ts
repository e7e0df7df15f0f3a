import { SECOND_MS } from '../core/durations';
import { endFolderServers } from './end-folder-servers';
import { launchServer } from './launch-server';
import type { Environment } from './run-command';
import type { StateFolder } from './state-folder';
import { superviseServer, type TemporalServerEvent } from './supervise-server';
import { takeOverServer } from './take-over-server';

const READY_TIMEOUT_MS = 30 * SECOND_MS;

export interface StartOptions {
  /** Absolute path of `temporal`. */
  readonly executable: string;
  /** The caller holds the folder's lock until after `stop`. */
  readonly folder: StateFolder;
  /** The process's environment; settings for Temporal clients in it do not reach the server. */
  readonly environment: Environment;
  /** @default a free one. A server left behind on another port is then replaced. */
  readonly port?: number;
  /** Made at start when it is missing. @default 'default' */
  readonly namespace?: string;
  /** Hears what happens to the server after it first answered. Must not throw. */
  readonly onEvent: (event: TemporalServerEvent) => void;
  /** How long the server may take to answer. @default 30,000 */
  readonly readyTimeoutMs?: number;
  /** Ends the start (what was started is ended, the signal's reason is thrown); afterwards use `stop`. */
  readonly signal?: AbortSignal;
}

/** A development server that answered, and is started again on the same port whenever it ends. */
export interface TemporalServer {
  readonly address: string;
  readonly port: number;
  /** True when a server left behind by a killed holdpoint was taken over. */
  readonly reused: boolean;
  /** The process at this moment; another one after a restart. */
  readonly pid: () => number;
  /** Ends the supervision and the server (SIGTERM, after 10 s SIGKILL). A second call waits for the first. */
  readonly stop: () => Promise<void>;
}

/**
 * Takes over the server that a killed holdpoint left on this folder, or starts one, waits until it answers and keeps it
 * running until `stop`. There is never a second server on the folder's database: one that may not be taken over is
 * ended first.
 *
 * Throws `temporal_port_in_use` and `temporal_start_failed`.
 */
export async function startTemporalServer(options: StartOptions): Promise<TemporalServer> {
  const { executable, folder, environment, readyTimeoutMs = READY_TIMEOUT_MS } = options;
  const { namespace = 'default', port: wantedPort = 0 } = options;
  const signal = options.signal ?? new AbortController().signal;

  const launch = async (port: number, launchSignal: AbortSignal) => {
    await endFolderServers(folder);
    return launchServer({ executable, folder, environment, namespace, port, readyTimeoutMs, signal: launchSignal });
  };
  const left = await takeOverServer({ folder, namespace, port: wantedPort, signal });
  const first = left ?? (await launch(wantedPort, signal));
  const { port } = first;
  const supervision = superviseServer(first, (restartSignal) => launch(port, restartSignal), options.onEvent);

  let stopped: Promise<void> | null = null;
  const stop = async () => {
    await supervision.stop();
    await endFolderServers(folder);
  };
  return {
    address: `127.0.0.1:${port}`,
    port,
    reused: left !== null,
    pid: () => supervision.current().pid,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
