import type { StepEvent, StepStatus } from '../core/ports/feed';

/** What runs in one session, put together from the events of its steps, for one reader. */
export interface RunningSteps {
  note(event: Pick<StepEvent, 'step' | 'status'>): void;
  /**
   * The status of the step that began last and still runs, null when nothing does; undefined when that is what was
   * returned the last time. At first nothing runs.
   */
  takeChange(): StepStatus | null | undefined;
}

export function createRunningSteps(): RunningSteps {
  // A map keeps the place of a name that is set again: a step that is said again did not begin again.
  const running = new Map<string, StepStatus>();
  let taken = 'null';
  return {
    note({ step, status }) {
      if (status === undefined) {
        running.delete(step);
      } else {
        running.set(step, status);
      }
    },
    takeChange() {
      const status = [...running.values()].at(-1) ?? null;
      const text = JSON.stringify(status);
      if (text === taken) {
        return undefined;
      }
      taken = text;
      return status;
    },
  };
}
