import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { MemoryFeed } from '../adapters/feed/memory/memory-feed';
import { MINUTE_MS, SECOND_MS } from '../core/durations';
import { HoldpointError, isErrorCode } from '../core/errors';
import { readWorkerMessage } from './read-worker-message';
import type { Environment } from './run-command';
import type { WorkerStopMessage } from './worker-messages';

const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 10 * SECOND_MS;
/** A child that lived this long was well; its restart starts counting anew. */
const HEALTHY_MS = MINUTE_MS;

export interface WorkerSupervisionOptions {
  /** Environment of the child; `TEMPORAL_ADDRESS` names the server that runs. */
  readonly environment: Environment;
  /** File descriptor that takes what the child prints. */
  readonly outputFd: number;
  /** Takes what the child says about sessions, and is cleared when the child's channel is closed. */
  readonly feed: MemoryFeed;
  /** Hears in one line when a worker ended and is started again. */
  readonly report: (line: string) => void;
  /** How long a stopping child may finish writes that have begun, in milliseconds. */
  readonly graceMs: number;
}

/** The worker child of `holdpoint dev`, started again whenever it ends. */
export interface WorkerSupervision {
  /** Resolves when the first child is ready; rejects with the error the child could not start for. */
  readonly ready: Promise<void>;
  /** The child's process id at this moment; undefined between two children. */
  pid(): number | undefined;
  /** Asks the child to finish and waits; kills it after the grace. */
  stop(): Promise<void>;
}

/** Starts the worker in a process of its own, so that user code can crash or hang without taking the gateway along. */
export function superviseWorker(options: WorkerSupervisionOptions): WorkerSupervision {
  let child: ChildProcess | undefined;
  let isStopping = false;
  let restarts = 0;
  let restartTimer: NodeJS.Timeout | undefined;

  const restartAfter = (livedMs: number, how: string) => {
    child = undefined;
    if (isStopping) {
      return;
    }
    restarts = livedMs > HEALTHY_MS ? 1 : restarts + 1;
    options.report(`the worker ended ${how}, starting it again`);
    restartTimer = setTimeout(start, Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** (restarts - 1)));
  };
  const start = () => {
    const startedAtMs = Date.now();
    child = forkWorker(options);
    carryFeed(child, options.feed);
    child.once('exit', (exitCode, signal) => restartAfter(Date.now() - startedAtMs, howItEnded(exitCode, signal)));
    return child;
  };
  return {
    ready: untilReady(start()),
    pid: () => child?.pid,
    stop: async () => {
      isStopping = true;
      clearTimeout(restartTimer);
      if (child !== undefined) {
        await endChild(child, options.graceMs);
      }
    },
  };
}

function forkWorker(options: WorkerSupervisionOptions): ChildProcess {
  return fork(join(__dirname, 'worker-child.js'), [], {
    env: { ...options.environment },
    stdio: ['ignore', options.outputFd, options.outputFd, 'ipc'],
  });
}

function carryFeed(child: ChildProcess, feed: MemoryFeed): void {
  child.on('message', (value: unknown) => {
    const message = readWorkerMessage(value);
    if (message?.type === 'feed') {
      feed.publish(message.event);
    }
  });
  // Not at its exit: what it had sent before may come after that.
  child.once('disconnect', () => feed.clear());
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const onMessage = (value: unknown): void => {
      const message = readWorkerMessage(value);
      if (message?.type === 'ready') {
        child.off('message', onMessage);
        resolve();
      } else if (message?.type === 'failed') {
        const code = isErrorCode(message.code) ? message.code : 'worker_start_failed';
        reject(new HoldpointError(code, message.message));
      }
    };
    child.on('message', onMessage);
    child.once('exit', (exitCode, signal) => {
      const how = howItEnded(exitCode, signal);
      reject(new HoldpointError('worker_start_failed', `the worker ended ${how} before it was ready`));
    });
  });
}

function howItEnded(exitCode: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `with code ${exitCode}` : `by ${signal}`;
}

function endChild(child: ChildProcess, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    if (child.connected) {
      child.send({ type: 'stop' } satisfies WorkerStopMessage);
    } else {
      child.kill('SIGKILL');
    }
  });
}
