import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { MemoryFeed } from '../adapters/feed/memory/memory-feed';
import { SECOND_MS } from '../core/durations';
import { HoldpointError, isErrorCode } from '../core/errors';
import { readWorkerMessage } from './read-worker-message';
import type { Environment } from './run-command';
import type { LoadedProject, WorkerChildMessage, WorkerOrder } from './worker-messages';

/** Loading has 10 s of its own; the rest is for a machine that is busy. */
const DEFAULT_LOAD_TIMEOUT_MS = 30 * SECOND_MS;
/** What a worker needs to stop beyond the longest write: 5 s for all else, and to close what it holds. */
const STOP_GRACE_MS = 10 * SECOND_MS;
/** Longer than a worker waits for a Temporal server that is away. */
const READY_TIMEOUT_MS = 60 * SECOND_MS;
const PROGRAM = join(__dirname, 'worker-child.js');

export interface WorkerProcessOptions {
  /** Environment of the process; `TEMPORAL_ADDRESS` names the server that runs. */
  readonly environment: Environment;
  /** The project's configuration, absolute; undefined = the built-in agent. */
  readonly configPath: string | undefined;
  /** Folder the process works in: that of the configuration. */
  readonly workingFolder: string;
  /** File descriptor that takes what the process prints. */
  readonly outputFd: number;
  /** Takes what the process says about sessions. */
  readonly feed: MemoryFeed;
  /** Longest time until the project's code is loaded, in milliseconds; then the process is killed. Default 30,000. */
  readonly loadTimeoutMs?: number;
  /** The program to run. Default: the worker child. */
  readonly program?: string;
}

/** What came of loading the project's code. `files` are those that were loaded, also when one of them broke. */
export type LoadOutcome =
  | { readonly ok: true; readonly project: LoadedProject; readonly files: readonly string[] }
  | { readonly ok: false; readonly error: HoldpointError; readonly files: readonly string[] };

/** One worker process. It loads the project's code, waits for the order to start, and works until it is told to stop. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Never rejects. */
  readonly loaded: Promise<LoadOutcome>;
  /** Resolves when the worker polls; rejects with the HoldpointError that it could not start for. */
  readonly ready: Promise<void>;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;
  /** Resolves when nothing more will be heard of it, which may be after its end. */
  readonly closed: Promise<void>;
  /** Lets a process that has loaded its project work; does nothing after `stop`. Not ready within 60 s, it is killed. */
  start(): void;
  /**
   * Lets it finish writes that have begun, and waits; kills it when that takes longer than its longest tool may, and at
   * once when it has not started.
   */
  stop(): Promise<void>;
}

/** Starts a worker process; user code runs there alone, so that it can crash or hang without taking the gateway along. */
export function launchWorker(options: WorkerProcessOptions): WorkerProcess {
  const { configPath, environment, outputFd } = options;
  const child = fork(options.program ?? PROGRAM, configPath === undefined ? [] : [configPath], {
    cwd: options.workingFolder,
    env: { ...environment },
    stdio: ['ignore', outputFd, outputFd, 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve(signal === null ? `with code ${exitCode}` : `by ${signal}`));
    child.once('error', (error) => resolve(`before it began: ${error.message}`));
  });
  const closed = new Promise<void>((resolve) => child.once('disconnect', () => resolve()));
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  let hasStarted = false;
  let isStopping = false;
  let graceMs = STOP_GRACE_MS;
  const loaded = untilLoaded(child, ended, options).then((outcome) => {
    graceMs += outcome.ok ? outcome.project.longestToolMs : 0;
    return outcome;
  });
  const ready = untilReady(child, ended);
  // Whoever waits for it hears of it; a process that nobody waits for any more must not end this one.
  ready.catch(() => undefined);
  child.on('message', (value: unknown) => {
    const message = readWorkerMessage(value);
    if (message?.type === 'feed') {
      options.feed.publish(message.event);
    }
  });
  return {
    pid: child.pid,
    loaded,
    ready,
    ended,
    closed,
    start: () => {
      if (!isStopping) {
        hasStarted = true;
        order(child, 'start');
        const timer = setTimeout(kill, READY_TIMEOUT_MS);
        void ready.catch(() => undefined).then(() => clearTimeout(timer));
      }
    },
    stop: async () => {
      isStopping = true;
      const timer = setTimeout(kill, hasStarted ? graceMs : 0);
      order(child, 'stop');
      await ended;
      clearTimeout(timer);
    },
  };
}

function order(child: ChildProcess, type: WorkerOrder['type']): void {
  if (child.connected) {
    // The callback takes the error of a channel that closes meanwhile; the process ends by itself then.
    child.send({ type } satisfies WorkerOrder, () => undefined);
  } else {
    child.kill('SIGKILL');
  }
}

async function untilLoaded(
  child: ChildProcess,
  ended: Promise<string>,
  { configPath, loadTimeoutMs = DEFAULT_LOAD_TIMEOUT_MS }: WorkerProcessOptions,
): Promise<LoadOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const where = configPath === undefined ? '' : `${configPath}: `;
  const failed = (message: string): LoadOutcome => {
    const error = new HoldpointError(configPath === undefined ? 'worker_start_failed' : 'invalid_config', message);
    return { ok: false, error, files: [] };
  };
  const tooLate = new Promise<LoadOutcome>((resolve) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      const text =
        `not loaded within ${loadTimeoutMs / SECOND_MS} s, and the process does not answer: ` +
        'look for a loop without an end at the top level of its files';
      resolve(failed(`${where}${text}`));
    }, loadTimeoutMs);
  });
  const answer = firstMessage(child, (message) => {
    switch (message.type) {
      case 'loaded':
        return { ok: true, project: message.project, files: message.files } satisfies LoadOutcome;
      case 'failed':
        return { ok: false, error: errorOf(message), files: message.files } satisfies LoadOutcome;
      default:
        return undefined;
    }
  });
  const over = ended.then((how) =>
    failed(`${where}the worker ended ${how} before it was loaded; see holdpoint.log in the state folder`),
  );
  const outcome = await Promise.race([answer, over, tooLate]);
  clearTimeout(timer);
  return outcome;
}

async function untilReady(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const answer = firstMessage(child, (message) => {
    switch (message.type) {
      case 'ready':
        return { error: undefined };
      case 'failed':
        return { error: errorOf(message) };
      default:
        return undefined;
    }
  });
  const over = ended.then((how) => ({
    error: new HoldpointError('worker_start_failed', `the worker ended ${how} before it was ready`),
  }));
  const { error } = await Promise.race([answer, over]);
  if (error !== undefined) {
    throw error;
  }
}

/** Resolves with the first message that means something to `read`, and listens no longer. */
function firstMessage<Value>(
  child: ChildProcess,
  read: (message: WorkerChildMessage) => Value | undefined,
): Promise<Value> {
  return new Promise((resolve) => {
    const onMessage = (value: unknown): void => {
      const message = readWorkerMessage(value);
      const result = message && read(message);
      if (result !== undefined) {
        child.off('message', onMessage);
        resolve(result);
      }
    };
    child.on('message', onMessage);
  });
}

function errorOf({ code, message }: { readonly code: string; readonly message: string }): HoldpointError {
  return new HoldpointError(isErrorCode(code) ? code : 'worker_start_failed', message);
}
