import { toolOfActivityType } from '../core/activity-contracts';
import { isStoppedByOperator } from '../core/run-description';
import type { PendingActivity, RunPicture } from '../core/run-picture';
import type { Wait } from '../core/session-explanation';
import type { SessionFacts } from '../core/session-facts';

/** Executions that go on by themselves. */
const ALIVE: readonly string[] = ['RUNNING', 'PAUSED', 'CONTINUED_AS_NEW'];

/** The run itself, where it does not go on although there is something to do. */
export function runWaits(run: RunPicture | undefined, { isStopped, messages }: SessionFacts): readonly Wait[] {
  if (run === undefined) {
    // One that was never told of its first message has no workflow yet; that is said elsewhere.
    return messages.undelivered > 0 ? [] : [goneWait('Temporal knows no workflow of it', null)];
  }
  if (isStopped || isStoppedByOperator(run.status)) {
    return [
      {
        kind: 'operator',
        text: `Its workflow was ended from outside (${run.status}).`,
        advice: 'The next message starts a new run, which ends the open turn as interrupted and goes on.',
        since: null,
      },
    ];
  }
  if (!ALIVE.includes(run.status)) {
    return [goneWait(`Its workflow does not run (${run.status})`, null)];
  }
  const task = run.workflowTask;
  return task === null || task.attempt <= 1
    ? []
    : [
        {
          kind: 'workflow',
          text: `A step of its workflow has failed ${task.attempt - 1} times; Temporal repeats it.`,
          advice: 'The log of the worker says why; a worker with corrected code goes on where this one stands.',
          since: task.scheduledAt,
          attempt: task.attempt,
        },
      ];
}

function goneWait(text: string, since: string | null): Wait {
  const advice = 'A worker starts it again within a minute; so does the next message.';
  return { kind: 'workflow', text: `${text}.`, advice, since };
}

/** The calls that run, or that are tried again. */
export function activityWaits({ status, activities }: RunPicture): readonly Wait[] {
  // Temporal goes on listing those of a run that has ended.
  const pending = ALIVE.includes(status) ? activities : [];
  return pending.map((activity) => ({ ...activityWait(activity), ...toolOf(activity), attempt: activity.attempt }));
}

function activityWait(activity: PendingActivity): Wait {
  const { isStarted, attempt, failedBy, nextAttemptAt } = activity;
  const name = nameOf(activity);
  const kind = activity.type === 'callModel' ? 'model' : 'tool';
  if (isStarted) {
    return {
      kind,
      text: `Attempt ${attempt} of ${name} runs.`,
      advice: 'It goes on with its result; when its worker was killed, a little after that is noticed.',
      since: activity.startedAt,
      ...(failedBy === null ? {} : { code: failedBy }),
    };
  }
  if (failedBy === null) {
    return {
      kind: 'worker',
      text: `A worker has to take ${name}.`,
      advice: 'Workers that poll are busy with other calls, or about to take it.',
      since: activity.scheduledAt,
    };
  }
  return {
    kind: outageOf(failedBy) ?? kind,
    text: `Attempt ${attempt - 1} of ${name} failed (${failedBy}); it is tried again.`,
    advice: `docs/errors.md says what ${failedBy} means; nothing is lost while it is tried again.`,
    since: activity.scheduledAt,
    ...(nextAttemptAt === null ? {} : { until: nextAttemptAt }),
    code: failedBy,
  };
}

/** What the log says of failed attempts, while Temporal can't say more. */
export function retryWaits({ retries }: SessionFacts): readonly Wait[] {
  const last = retries.at(-1);
  if (last === undefined) {
    return [];
  }
  return [
    {
      kind: 'model',
      text: `The model call has failed ${retries.length} times, the last time with ${last.code}.`,
      advice: `docs/errors.md says what ${last.code} means; the fifth failure ends the turn.`,
      since: last.at,
      attempt: last.attempt + 1,
      code: last.code,
    },
  ];
}

function outageOf(code: string): 'store' | 'temporal' | undefined {
  switch (code) {
    case 'store_unavailable':
      return 'store';
    case 'temporal_unavailable':
      return 'temporal';
    default:
      return undefined;
  }
}

function toolOf({ type }: PendingActivity): { readonly tool?: string } {
  const tool = toolOfActivityType(type);
  return tool === undefined ? {} : { tool };
}

function nameOf({ type }: PendingActivity): string {
  switch (type) {
    case 'callModel':
      return 'the model call';
    case 'settleCall':
      return 'the search for what became of a write';
    default:
      return toolOfActivityType(type) ?? type;
  }
}
