import type { SessionKey } from '../core/ids';
import type { StepStatus } from '../core/ports/feed';
import type { ActivityDependencies } from './activity-dependencies';

/** A step as those who watch the session see it. */
export interface RunningStep {
  /** See `StepEvent`. */
  readonly step: string;
  readonly status: StepStatus;
}

/** Runs `body` and says on the feed that the step runs: from its begin, again with every heartbeat, to any end of it. */
export async function withRunningStep<Result>(
  { feed, timing }: Pick<ActivityDependencies, 'feed' | 'timing'>,
  key: SessionKey,
  { step, status }: RunningStep,
  body: () => Promise<Result>,
): Promise<Result> {
  const say = (now: StepStatus | undefined): void => feed.publish({ ...key, type: 'step', step, status: now });
  say(status);
  const timer = setInterval(say, timing.heartbeatMs, status);
  try {
    return await body();
  } finally {
    clearInterval(timer);
    say(undefined);
  }
}
