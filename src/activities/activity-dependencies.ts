import type { Clock } from '../core/ports/clock';
import type { FeedPublisher } from '../core/ports/feed';
import type { Logger } from '../core/ports/logger';
import type { ModelAdapter } from '../core/ports/model-adapter';
import type { WorkerStore } from '../core/ports/worker-store';
import type { Catalog } from '../definitions/catalog';
import type { Policy } from '../definitions/policy';
import type { TemporalPort } from './temporal-port';

/** What the activities of one worker share. */
export interface ActivityDependencies {
  readonly store: WorkerStore;
  readonly catalog: Catalog;
  /** By API, the part of a model's name before the colon. */
  readonly adapters: ReadonlyMap<string, ModelAdapter>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly feed: FeedPublisher;
  readonly temporal: TemporalPort;
  /** Rules of the project; without them reads run and writes are reviewed. */
  readonly policy: Policy | undefined;
  /** Time since the first scheduling in which another worker may still know a definition this one lacks. */
  readonly definitionGraceMs: number;
  /** True where a plain Temporal client may start a session that has no row yet. */
  readonly createsMissingRows: boolean;
  /** Fires some seconds after the worker was asked to stop; ends what may be ended: reads and model calls. */
  readonly stopping: AbortSignal;
  readonly timing: ActivityTiming;
}

/** Durations in milliseconds that tests shorten. */
export interface ActivityTiming {
  /** Between two heartbeats. */
  readonly heartbeatMs: number;
  /** Longest silence of a model stream. */
  readonly modelIdleMs: number;
  /** How long a short step repeats while the store can't be asked. */
  readonly storePatienceMs: number;
  /** The same for the record of an effect that has happened. */
  readonly resultPatienceMs: number;
  /** Time a tool has to end by itself after its signal fired. */
  readonly abandonMs: number;
  /** Longest run of a project's policy. */
  readonly policyMs: number;
  /** Between two looks at something that somebody else is about to finish. */
  readonly pollMs: number;
}

export const DEFAULT_TIMING: ActivityTiming = {
  heartbeatMs: 2_000,
  modelIdleMs: 60_000,
  storePatienceMs: 30_000,
  resultPatienceMs: 300_000,
  abandonMs: 250,
  policyMs: 5_000,
  pollMs: 500,
};
