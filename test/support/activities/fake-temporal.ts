import type { AttemptAnswer, TemporalPort } from '../../../src/activities/temporal-port';
import type { RunDescription } from '../../../src/core/run-description';

/** Temporal as activities ask it, answered by the test. */
export interface FakeTemporal extends TemporalPort {
  /** The newest run; undefined when Temporal knows none. */
  current: RunDescription | undefined;
  readonly runs: Map<string, RunDescription>;
  /** Answers about attempts, in order; `current` when there are none left. A function may take its time. */
  readonly answers: (AttemptAnswer | (() => Promise<AttemptAnswer>))[];
}

export function createFakeTemporal(runId: string): FakeTemporal {
  const temporal: FakeTemporal = {
    current: runNamed(runId),
    runs: new Map(),
    answers: [],
    describeRun: async (_workflowId, named) => (named === undefined ? temporal.current : temporal.runs.get(named)),
    askAboutAttempt: async () => {
      const answer = temporal.answers.shift() ?? 'current';
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  return temporal;
}

export function runNamed(runId: string, changes: Partial<RunDescription> = {}): RunDescription {
  return { runId, status: 'RUNNING', firstRunId: runId, ...changes };
}
