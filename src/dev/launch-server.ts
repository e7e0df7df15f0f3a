import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { SECOND_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import { endProcess } from './end-process';
import { failureReason } from './failure-reason';
import { readCommandLine } from './process-command-line';
import type { Environment } from './run-command';
import { lastLogLine, logSize, openLog } from './server-log';
import { databaseId, removeServerRecord, serverArguments, writeServerRecord } from './server-record';
import type { StateFolder } from './state-folder';
import type { RunningServer } from './supervise-server';
import { tryPort } from './try-port';
import { waitForTemporal } from './wait-for-temporal';

/** Between looking for a free port and the server taking it, another process may take it; then the next one is tried. */
const FREE_PORT_TRIES = 5;
const SHOWN_CHARACTERS = 400;
const FAILED_START_GRACE_MS = 2 * SECOND_MS;

export interface LaunchOptions {
  /** Absolute path of `temporal`. */
  readonly executable: string;
  readonly folder: StateFolder;
  readonly namespace: string;
  readonly environment: Environment;
  /** 0 = a free one. */
  readonly port: number;
  readonly readyTimeoutMs: number;
  /** Ends the launch: what was started is ended, the signal's reason is thrown. */
  readonly signal: AbortSignal;
}

/**
 * Starts a development server on the folder's database, in a process group of its own and with its output in the
 * folder's log file, and waits until it answers. The caller holds the folder's lock and has made sure that no server
 * uses the database.
 *
 * Throws `temporal_port_in_use` when the given port is taken, `temporal_start_failed` (with the server's last log line)
 * when it ends or gives no answer in time.
 */
export async function launchServer(options: LaunchOptions): Promise<RunningServer> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await launchOn(await reservePort(options.port), options);
    } catch (error) {
      const isPortInUse = error instanceof HoldpointError && error.code === 'temporal_port_in_use';
      const lostRace = isPortInUse && error.details['port'] !== options.port;
      if (!lostRace || tryNumber === FREE_PORT_TRIES) {
        throw error;
      }
    }
  }
}

async function reservePort(port: number): Promise<number> {
  try {
    return await tryPort(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw portInUse(port);
    }
    throw startFailed(`port ${port} cannot be used: ${failureReason(error)}`);
  }
}

async function launchOn(port: number, options: LaunchOptions): Promise<RunningServer> {
  const { folder, namespace } = options;
  options.signal.throwIfAborted();
  const logStart = logSize(folder.temporalLog);
  const child = spawnServer(port, options);
  const exited = exitOf(child);
  const pid = child.pid;
  if (pid === undefined) {
    throw startFailed(`${options.executable} cannot be run: ${await exited}`);
  }
  const startedAt = new Date().toISOString();
  const record = (commandLine: string) =>
    writeServerRecord(folder, { pid, port, namespace, commandLine, startedAt, databaseId: databaseId(folder) });
  try {
    // At once, so that a server whose holdpoint is killed while it starts is known to the next one.
    record(child.spawnargs.join(' '));
    await untilReady(port, exited, options);
    record(readCommandLine(pid) ?? child.spawnargs.join(' '));
    return { pid, port, exited };
  } catch (error) {
    await endProcess(pid, FAILED_START_GRACE_MS);
    removeServerRecord(folder);
    options.signal.throwIfAborted();
    const lastLine = lastLogLine(folder.temporalLog, logStart);
    // The server takes further ports for itself, which somebody may take at the same moment.
    const taken = /:(\d+): bind: address already in use/.exec(lastLine ?? '')?.[1];
    if (taken !== undefined) {
      throw portInUse(Number(taken));
    }
    const log = lastLine === null ? 'it logged nothing' : `its last log line: ${shownLine(lastLine)}`;
    throw startFailed(`${failureReason(error)}; ${log} (${folder.temporalLog})`);
  }
}

function spawnServer(port: number, { executable, folder, namespace, environment }: LaunchOptions): ChildProcess {
  const log = openLog(folder.temporalLog);
  try {
    const child = spawn(executable, serverArguments(folder, port, namespace), {
      cwd: folder.path,
      // A group of its own: else the terminal's Ctrl-C would stop the server while holdpoint still needs it.
      detached: true,
      stdio: ['ignore', log, log],
      env: serverEnvironment(environment),
    });
    // The server outlives this process when that is killed, so it must not keep it alive either.
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Settings meant for Temporal clients must not reach the server. */
function serverEnvironment(environment: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

async function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(failureReason(error)));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
}

async function untilReady(port: number, exited: Promise<string>, options: LaunchOptions): Promise<void> {
  const stopWaiting = new AbortController();
  const ready = waitForTemporal({
    address: `127.0.0.1:${port}`,
    namespace: options.namespace,
    timeoutMs: options.readyTimeoutMs,
    signal: AbortSignal.any([options.signal, stopWaiting.signal]),
  });
  const ended = exited.then((how) => {
    const error = new Error(`the Temporal server ended while it started (${how})`);
    stopWaiting.abort(error);
    throw error;
  });
  await Promise.race([ready, ended]);
  // Another server may have answered on this port while ours could not have it.
  const sawExit = await Promise.race([exited, Promise.resolve(null)]);
  if (sawExit !== null) {
    throw new Error(`the Temporal server ended while it started (${sawExit})`);
  }
}

/** Its errors wrap each other, and the cause comes last. */
function shownLine(line: string): string {
  return line.length > SHOWN_CHARACTERS ? `…${line.slice(-SHOWN_CHARACTERS)}` : line;
}

function portInUse(port: number): HoldpointError {
  return new HoldpointError('temporal_port_in_use', `port ${port} for the Temporal server is in use`, { port });
}

function startFailed(reason: string): HoldpointError {
  return new HoldpointError('temporal_start_failed', `the Temporal server did not start: ${reason}`);
}
