/**
 * The life of one server process under supervision:
 *
 *   running -> (its process ends) waiting -> starting -> running …      starting -> (it fails) waiting
 *   any of these -> stopped, by `stop`
 *
 * `waiting` lasts 0.5 s and doubles up to 10 s; a server that ran for a minute begins the row anew.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../core/durations';
import { failureReason } from './failure-reason';

const FIRST_DELAY_MS = SECOND_MS / 2;
const LONGEST_DELAY_MS = 10 * SECOND_MS;
const STEADY_AFTER_MS = MINUTE_MS;

/** A server process that answered. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** Resolves when the process ends, with how it ended in a few words. Never rejects. */
  readonly exited: Promise<string>;
}

/** What happens to the server on its own; `line` is for people. */
export interface TemporalServerEvent {
  readonly type: 'exited' | 'restarted' | 'restart-failed';
  readonly line: string;
}

export interface Supervision {
  /** The server at this moment; the last one while it is being started again. */
  readonly current: () => RunningServer;
  /** Ends the supervision, not the server. A start in progress is ended. Never rejects. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a server again whenever its process ends, until `stop`.
 *
 * @param first The server that runs now.
 * @param restart Starts it again on the same port; rejects when that fails or the signal fires.
 * @param onEvent Must not throw.
 * @param firstDelayMs The shortest time between the end of a process and the next start.
 */
export function superviseServer(
  first: RunningServer,
  restart: (signal: AbortSignal) => Promise<RunningServer>,
  onEvent: (event: TemporalServerEvent) => void,
  firstDelayMs: number = FIRST_DELAY_MS,
): Supervision {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  let current = first;

  const restartUntilItRuns = async (fromDelayMs: number): Promise<RunningServer> => {
    for (let delayMs = fromDelayMs; ; delayMs = nextDelay(delayMs)) {
      await sleep(delayMs, undefined, { signal });
      try {
        return await restart(signal);
      } catch (error) {
        signal.throwIfAborted();
        onEvent({ type: 'restart-failed', line: failureReason(error) });
      }
    }
  };
  const run = async (): Promise<void> => {
    let delayMs = firstDelayMs;
    for (;;) {
      const runsSince = performance.now();
      const how = await Promise.race([current.exited, stopped]);
      if (how === null) {
        return;
      }
      if (performance.now() - runsSince > STEADY_AFTER_MS) {
        delayMs = firstDelayMs;
      }
      onEvent({ type: 'exited', line: `the Temporal server ended (${how}), starting it again` });
      current = await restartUntilItRuns(delayMs);
      delayMs = nextDelay(delayMs);
      onEvent({ type: 'restarted', line: `the Temporal server runs again at 127.0.0.1:${current.port}` });
    }
  };
  // The only rejection is the one that `stop` causes.
  const ended = run().catch(() => undefined);
  return {
    current: () => current,
    stop: async () => {
      stopping.abort(new Error('the Temporal server is being stopped'));
      await ended;
    },
  };
}

function nextDelay(delayMs: number): number {
  return Math.min(delayMs * 2, LONGEST_DELAY_MS);
}
