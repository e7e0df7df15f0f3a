import type { Gate } from '../../support/gated-tools';
import type { RunningStack, StackOptions } from '../../support/running-stack';
import type { TurnKind } from '../turn-kinds';

/** A run whose history is recorded; without `runId` it is the newest run of the session. */
export interface RecordedRun {
  readonly sessionId: string;
  readonly runId?: string;
}

/** Plays one kind of turn to its end, and says which run to record. `gate` belongs to the tools of the stack. */
export type TurnScenario = (stack: RunningStack, gate: Gate) => Promise<RecordedRun>;

/** Kinds of turns that one stack can play, one after another. */
export interface ScenarioGroup {
  /** `toolTimeoutMs`: time limit of the gated tools. Default 60,000. */
  readonly options: Omit<StackOptions, 'tools'> & { readonly toolTimeoutMs?: number };
  readonly scenarios: Partial<Readonly<Record<TurnKind, TurnScenario>>>;
}
