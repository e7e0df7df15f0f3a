import { CancelledFailure } from '@temporalio/common';
import { HoldpointError } from '../core/errors';
import type { SessionState } from '../workflows/agent-session-state';
import type { Command } from '../workflows/plan-commands';
import type { CommandResult } from '../workflows/session-event';
import type { LoopWorld, StartedCommand } from '../workflows/session-loop';

export interface VirtualWorldOptions {
  readonly startMs: number;
  /** Runs the activity of a command; never rejects. `signal` fires when the turn is cancelled. */
  readonly run: (command: Command, state: SessionState, signal: AbortSignal) => Promise<CommandResult>;
  /** Called when no activity works: what people do then. True when they did something that changed the session. */
  readonly onQuiet: () => Promise<boolean>;
}

interface Sleeper {
  readonly wakeAtMs: number;
  readonly wake: () => void;
}

/**
 * A world whose time stands still while something works, and jumps to the next thing that waits for it when nothing
 * does: the end of a pause before another attempt, or the moment a question expires.
 */
export class VirtualWorld implements LoopWorld {
  private readonly options: VirtualWorldOptions;
  private timeMs: number;
  /** Activities under way, without those that pause. */
  private working = 0;
  private sleepers: readonly Sleeper[] = [];
  private notify: () => void = () => undefined;

  constructor(options: VirtualWorldOptions) {
    this.options = options;
    this.timeMs = options.startMs;
  }

  nowMs(): number {
    return this.timeMs;
  }

  start(command: Command, state: SessionState): StartedCommand {
    const controller = new AbortController();
    this.working += 1;
    const result = this.options.run(command, state, controller.signal);
    // The loop takes the result before whoever is notified here goes on.
    void result.then(() => this.stopWorking());
    return { result, cancel: () => controller.abort(new CancelledFailure('CANCELLED')) };
  }

  async waitUntil(isDone: () => boolean, timeoutMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const endMs = this.timeMs + timeoutMs;
    while (!isDone()) {
      if (this.working > 0) {
        await this.untilNotified();
      } else if (!(await this.options.onQuiet())) {
        this.moveTo(Math.min(endMs, ...this.sleepers.map(({ wakeAtMs }) => wakeAtMs)));
        if (this.timeMs >= endMs) {
          return isDone();
        }
      }
    }
    return true;
  }

  /** A pause of an activity in this world's time. Rejects with the signal's reason when that fires first. */
  async sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const sleeper: Sleeper = { wakeAtMs: this.timeMs + durationMs, wake };
    const onAbort = (): void => this.wake([sleeper]);
    this.sleepers = [...this.sleepers, sleeper];
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
    }
    this.stopWorking();
    await woken;
    signal.removeEventListener('abort', onAbort);
    signal.throwIfAborted();
  }

  private moveTo(timeMs: number): void {
    if (timeMs === Number.POSITIVE_INFINITY) {
      throw new HoldpointError('internal', 'The session waits for something that never comes.');
    }
    this.timeMs = timeMs;
    this.wake(this.sleepers.filter(({ wakeAtMs }) => wakeAtMs <= timeMs));
  }

  /** What wakes counts as working at once, before it goes on. */
  private wake(sleepers: readonly Sleeper[]): void {
    const woken = sleepers.filter((sleeper) => this.sleepers.includes(sleeper));
    this.sleepers = this.sleepers.filter((sleeper) => !woken.includes(sleeper));
    this.working += woken.length;
    for (const { wake } of woken) {
      wake();
    }
  }

  private stopWorking(): void {
    this.working -= 1;
    this.notify();
  }

  private untilNotified(): Promise<void> {
    return new Promise((resolve) => {
      this.notify = resolve;
    });
  }
}
