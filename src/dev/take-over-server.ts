import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../core/durations';
import { processIsRunning } from './process-is-running';
import { findFolderServers } from './server-record';
import type { StateFolder } from './state-folder';
import type { RunningServer } from './supervise-server';
import { waitForTemporal } from './wait-for-temporal';

/** A server left behind may still be starting. */
const ANSWER_TIMEOUT_MS = 10 * SECOND_MS;
const EXIT_CHECK_INTERVAL_MS = 500;

export interface TakeOverOptions {
  readonly folder: StateFolder;
  /** 0 = any. */
  readonly port: number;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * The server that a killed holdpoint left on this folder, when `server.json` vouches for it, it is the only one, it has
 * the wanted port and namespace, and it answers; else null. Throws the signal's reason when that fires.
 */
export async function takeOverServer(options: TakeOverOptions): Promise<RunningServer | null> {
  const [server, ...others] = findFolderServers(options.folder);
  const record = server?.record ?? null;
  if (record === null || others.length > 0) {
    return null;
  }
  const isWanted = (options.port === 0 || options.port === record.port) && options.namespace === record.namespace;
  if (!isWanted) {
    return null;
  }
  try {
    await waitForTemporal({
      address: `127.0.0.1:${record.port}`,
      namespace: record.namespace,
      timeoutMs: ANSWER_TIMEOUT_MS,
      signal: options.signal,
    });
  } catch {
    options.signal.throwIfAborted();
    return null;
  }
  return { pid: record.pid, port: record.port, exited: exitOf(record.pid) };
}

/** The system tells only a process's parent when it ends, and this one's parent is gone. */
async function exitOf(pid: number): Promise<string> {
  while (processIsRunning(pid)) {
    await sleep(EXIT_CHECK_INTERVAL_MS, undefined, { ref: false });
  }
  return 'its process is gone';
}
