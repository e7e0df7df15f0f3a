/**
 * The worker processes of `holdpoint dev`. One is current: it works, or is on its way there. A candidate loads the
 * project's code anew; when that is without fault it becomes the current one, and the former finishes what it has begun
 * beside it, as in any rolling deployment. A current process that ends by itself is replaced after a pause.
 */
import { MINUTE_MS, SECOND_MS } from '../core/durations';
import type { HoldpointError } from '../core/errors';
import type { LoadedProject } from './worker-messages';
import { type LoadOutcome, launchWorker, type WorkerProcess, type WorkerProcessOptions } from './worker-process';

const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 10 * SECOND_MS;
/** A worker that lived this long was well; its restart starts counting anew. */
const HEALTHY_MS = MINUTE_MS;

export interface WorkerSupervisionOptions extends WorkerProcessOptions {
  /** Hears in one line when a worker ended and is started again. */
  readonly report: (line: string) => void;
}

/** The first worker, ready for work. */
export interface FirstWorker {
  readonly project: LoadedProject;
  /** Files of the project that were loaded, absolute. */
  readonly files: readonly string[];
}

/** The worker of `holdpoint dev`, started again whenever it ends. */
export interface WorkerSupervision {
  /** Resolves when the first worker is ready; rejects with the HoldpointError it could not start for. */
  readonly first: Promise<FirstWorker>;
  /** The worker's process id at this moment; undefined between two of them. */
  pid(): number | undefined;
  /**
   * Loads the project's code in a new process and lets that take over; when the code has a fault, the worker stays as it
   * is. Resolves when the new one is ready for work, or with the fault. One call at a time.
   */
  reload(): Promise<LoadOutcome>;
  /** Asks every worker to finish and waits; kills those that take too long. */
  stop(): Promise<void>;
}

/** Starts the worker. */
export function superviseWorker(options: WorkerSupervisionOptions): WorkerSupervision {
  const running = new Set<WorkerProcess>();
  let current: WorkerProcess | undefined;
  let isUp = false;
  let isStopping = false;
  let restarts = 0;
  let restartTimer: NodeJS.Timeout | undefined;
  let lastFault = '';

  const launch = (): WorkerProcess => {
    const worker = launchWorker(options);
    running.add(worker);
    void worker.ended.then(() => running.delete(worker));
    void worker.closed.then(() => {
      // What a process has said of its steps is over with it; not while another one may be saying the same.
      if (current === worker || running.size === 0) {
        options.feed.clear();
      }
    });
    return worker;
  };
  const promote = (worker: WorkerProcess): void => {
    const startedAtMs = Date.now();
    current = worker;
    void worker.ended.then((how) => {
      if (isUp && !isStopping && worker === current) {
        current = undefined;
        restarts = Date.now() - startedAtMs > HEALTHY_MS ? 1 : restarts + 1;
        options.report(`the worker ended ${how}, starting it again`);
        restartTimer = setTimeout(restart, Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** (restarts - 1)));
      }
    });
  };
  const begin = async (worker: WorkerProcess): Promise<FirstWorker> => {
    promote(worker);
    const outcome = await worker.loaded;
    if (!outcome.ok) {
      throw outcome.error;
    }
    worker.start();
    await worker.ready;
    isUp = true;
    lastFault = '';
    return outcome;
  };
  const restart = (): void => {
    const worker = launch();
    begin(worker).catch((error: HoldpointError) => {
      const isReplaced = current !== undefined && current !== worker;
      // The project may be broken for a while, and each try says the same.
      if (!isStopping && !isReplaced && error.message !== lastFault) {
        lastFault = error.message;
        options.report(`the worker does not start: ${error.message}`);
      }
    });
  };
  const reload = async (): Promise<LoadOutcome> => {
    const worker = launch();
    const outcome = await worker.loaded;
    if (isStopping || !outcome.ok) {
      return outcome;
    }
    clearTimeout(restartTimer);
    const former = current;
    promote(worker);
    void former?.stop();
    worker.start();
    return worker.ready.then(
      () => outcome,
      (error: HoldpointError) => ({ ok: false, error, files: outcome.files }),
    );
  };
  return {
    first: begin(launch()),
    pid: () => current?.pid,
    reload,
    stop: async () => {
      isStopping = true;
      clearTimeout(restartTimer);
      await Promise.all([...running].map((worker) => worker.stop()));
    },
  };
}
