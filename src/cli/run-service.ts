import { SECOND_MS } from '../core/durations';

/** Something that runs until it is told to stop. */
export interface Service {
  /** Resolves when it has stopped; rejects when it broke. */
  readonly finished: Promise<void>;
  /** Begins to stop. May be called again. */
  stop(): void;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One Ctrl-C may arrive twice: from the terminal, and handed on by npm. */
const SAME_SIGNAL_MS = SECOND_MS;

/**
 * Runs a service in the foreground until SIGINT, SIGTERM or SIGHUP, and then until it has stopped in order; a signal
 * during the start counts after it. Another signal, later than a second, does not wait. Throws what the service throws.
 */
export async function runService(start: () => Promise<Service>): Promise<void> {
  let stoppedAtMs: number | undefined;
  let service: Service | undefined;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (stoppedAtMs === undefined) {
        stoppedAtMs = performance.now();
        service?.stop();
      } else if (performance.now() - stoppedAtMs > SAME_SIGNAL_MS) {
        process.exit(1);
      }
    });
  }
  service = await start();
  if (stoppedAtMs !== undefined) {
    service.stop();
  }
  await service.finished;
}
