import type { TemporalSessionClient } from '../../../src/client/temporal-session-client';
import type { SessionTarget } from '../../../src/client/temporal-session-run';
import { HoldpointError } from '../../../src/core/errors';
import type { SessionKey } from '../../../src/core/ids';
import type { Poller, RunPicture } from '../../../src/core/run-picture';

interface RecordedSignal {
  readonly signal: 'message' | 'decide' | 'cancelTurn' | 'close' | 'terminate' | 'start';
  readonly target: SessionKey | SessionTarget;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Stands where Temporal is: remembers what sessions were told, and lets a test do what a worker would do about it.
 * Sessions count as running until `endAll`, and after a signal that may start them.
 */
export class RecordingSessions implements TemporalSessionClient {
  readonly signals: RecordedSignal[] = [];
  /** Called with each accepted signal, before the sender hears that it was accepted. */
  react: (signal: RecordedSignal) => Promise<void> = async () => undefined;
  isUp = true;
  /** What Temporal says about every session. */
  run: RunPicture | undefined;
  polling: readonly Poller[] = [];
  /** True: the workflows belong to another project. */
  isForeign = false;
  #areRunning = true;

  /** From now on no session has a workflow that runs. */
  endAll(): void {
    this.#areRunning = false;
  }

  message(target: SessionTarget, payload: object): Promise<void> {
    return this.#accept({ signal: 'message', target, payload: { ...payload } });
  }

  decide(target: SessionKey | SessionTarget, payload: object): Promise<void> {
    return this.#accept({ signal: 'decide', target, payload: { ...payload } });
  }

  cancelTurn(target: SessionKey | SessionTarget, payload: object): Promise<void> {
    return this.#accept({ signal: 'cancelTurn', target, payload: { ...payload } });
  }

  close(target: SessionKey | SessionTarget, payload: object): Promise<void> {
    return this.#accept({ signal: 'close', target, payload: { ...payload } });
  }

  start(target: SessionTarget): Promise<void> {
    return this.#accept({ signal: 'start', target, payload: {} });
  }

  async terminate({ tenant, sessionId }: SessionKey, reason: string): Promise<boolean> {
    this.#requireUp();
    const wasRunning = this.#areRunning;
    this.signals.push({ signal: 'terminate', target: { tenant, sessionId }, payload: { reason } });
    this.#areRunning = false;
    return wasRunning;
  }

  async describe(): Promise<RunPicture | undefined> {
    this.#requireUp();
    return this.run;
  }

  async pollers(): Promise<readonly Poller[]> {
    this.#requireUp();
    return this.polling;
  }

  async requireOwn(): Promise<void> {
    this.#requireUp();
    if (this.isForeign) {
      throw new HoldpointError('session_exists', 'of another project, says the test');
    }
  }

  async ping(): Promise<void> {
    this.#requireUp();
  }

  async disconnect(): Promise<void> {
    this.isUp = false;
  }

  async #accept(signal: RecordedSignal): Promise<void> {
    this.#requireUp();
    if (!this.#areRunning && !('agent' in signal.target)) {
      throw new HoldpointError('unknown_session', 'no running workflow');
    }
    this.#areRunning = true;
    this.signals.push(signal);
    await this.react(signal);
  }

  #requireUp(): void {
    if (!this.isUp) {
      throw new HoldpointError('temporal_unavailable', 'down, says the test');
    }
  }
}
