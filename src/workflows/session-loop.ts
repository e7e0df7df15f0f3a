import { advanceSession } from './advance-session';
import type { SessionState } from './agent-session-state';
import { type Command, nextWakeMs, planCommands } from './plan-commands';
import type { CommandResult, SessionEvent } from './session-event';

/** What a loop is driven by: Temporal's workflow, or a test that runs without a server. */
export interface LoopWorld {
  /** Workflow time, in milliseconds since 1970. */
  nowMs(): number;
  /** Starts the activity of a command; `state` is the one the command was planned from. */
  start(command: Command, state: SessionState): StartedCommand;
  /** Resolves to true once `isDone` holds, to false when `timeoutMs` passed before. Without it there is no limit. */
  waitUntil(isDone: () => boolean, timeoutMs?: number): Promise<boolean>;
}

/** An activity under way. */
export interface StartedCommand {
  /** Never rejects: a failure is a result with an error code. */
  readonly result: Promise<CommandResult>;
  /** Asks the activity to end; its result comes all the same. */
  cancel(): void;
}

/** Ties the pure state to a world: events come in, commands go out, time passes. It has no rules of its own. */
export class SessionLoop {
  private current: SessionState;
  private version = 0;
  private readonly world: LoopWorld;
  private readonly started = new Map<Command, StartedCommand>();

  constructor(state: SessionState, world: LoopWorld) {
    this.current = state;
    this.world = world;
  }

  get state(): SessionState {
    return this.current;
  }

  apply(event: SessionEvent): void {
    this.current = advanceSession(this.current, event, this.world.nowMs());
    this.version += 1;
    if (this.current.turn?.ending?.outcome === 'cancelled') {
      this.cancelTurnCommands();
    }
  }

  /** Starts what may start, and waits until something has happened. */
  async step(): Promise<void> {
    this.startCommands();
    await this.waitForChange();
  }

  private startCommands(): void {
    for (const command of planCommands(this.current, this.world.nowMs())) {
      const before = this.current;
      this.apply({ type: 'command-started', command });
      const started = this.world.start(command, before);
      this.started.set(command, started);
      // Never rejects; its result comes back as an event.
      void started.result.then((result) => {
        this.started.delete(command);
        this.apply(result);
      });
    }
  }

  /** Started tools are awaited, not abandoned: the cancel reaches them, and they say how they ended. */
  private cancelTurnCommands(): void {
    for (const [command, started] of this.started) {
      if (command.type === 'call-model' || command.type === 'run-call') {
        this.started.delete(command);
        started.cancel();
      }
    }
  }

  private async waitForChange(): Promise<void> {
    const seen = this.version;
    const changed = () => this.version !== seen;
    const wakeAtMs = nextWakeMs(this.current, this.world.nowMs());
    if (wakeAtMs === undefined) {
      await this.world.waitUntil(changed);
      return;
    }
    const hasChanged = await this.world.waitUntil(changed, Math.max(1, wakeAtMs - this.world.nowMs()));
    if (!hasChanged) {
      this.apply({ type: 'time' });
    }
  }
}
