import { ApplicationFailure, asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { noopMetricMeter, type RetryPolicy } from '@temporalio/common';
import type { ActivityDependencies } from '../activities/activity-dependencies';
import { createActivities } from '../activities/create-activities';
import { createFailureInterceptor } from '../activities/failure-mapping';
import { toolActivityType } from '../core/activity-contracts';
import { type SessionKey, workflowIdOf } from '../core/ids';
import { LOCAL_OPTIONS } from '../workflows/activity-options';
import type { ActivityRunner } from '../workflows/activity-runner';

/** Where the activities of one session run. */
export interface InProcessHost {
  readonly dependencies: ActivityDependencies;
  readonly key: SessionKey;
  readonly runId: string;
  nowMs(): number;
  /** The pause before another attempt. Rejects with the signal's reason when that fires first. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

/** Runs activities for one command; `signal` fires when the command is cancelled. */
export type ActivitiesFor = (signal: AbortSignal) => ActivityRunner;

const BODY_KEY = 'default';

/**
 * Runs the activities of a worker in this process, as Temporal would: each attempt in an activity context of its own,
 * under the worker's interceptor, with inputs and results that went through JSON, and repeated by the retry policy of the
 * command. Time limits and heartbeats are not watched.
 */
export function createInProcessActivities(host: InProcessHost): ActivitiesFor {
  const activities = createActivities(host.dependencies);
  const bodyOf = (type: string) =>
    (Object.hasOwn(activities, type) ? activities[type as keyof typeof activities] : activities[BODY_KEY]) as (
      input: unknown,
    ) => Promise<unknown>;
  return (signal) => {
    const run = async <Result>(type: string, input: unknown, retry: RetryPolicy | undefined): Promise<Result> =>
      (await runAttempts(host, { type, input, retry, signal, body: bodyOf(type) })) as Result;
    const local = <Result>(type: string, input: unknown) => run<Result>(type, input, LOCAL_OPTIONS.retry);
    return {
      local: {
        openSession: (input) => local('openSession', input),
        settleApproval: (input) => local('settleApproval', input),
        storeMessages: (input) => local('storeMessages', input),
        endTurn: (input) => local('endTurn', input),
        closeSession: (input) => local('closeSession', input),
      },
      callModel: (input, { retry }) => run('callModel', input, retry),
      settleCall: (input, { retry }) => run('settleCall', input, retry),
      runTool: (tool, input, { retry }) => run(toolActivityType(tool), input, retry),
    };
  };
}

interface ActivityRun {
  readonly type: string;
  readonly input: unknown;
  readonly retry: RetryPolicy | undefined;
  readonly signal: AbortSignal;
  readonly body: (input: unknown) => Promise<unknown>;
}

async function runAttempts(host: InProcessHost, run: ActivityRun): Promise<unknown> {
  const scheduledMs = host.nowMs();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runAttempt(host, run, infoOf(host, run.type, attempt, scheduledMs));
    } catch (error) {
      const pauseMs = pauseBeforeNext(error, attempt, run.retry);
      if (pauseMs === undefined) {
        throw error;
      }
      await host.sleep(pauseMs, run.signal);
    }
  }
}

function runAttempt(host: InProcessHost, { input, signal, body }: ActivityRun, info: Info): Promise<unknown> {
  const cancelled = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Most activities look at the signal only.
  cancelled.catch(() => undefined);
  const context = new Context(info, cancelled, signal, () => undefined, undefined, SILENT, noopMetricMeter, {});
  const { inbound } = createFailureInterceptor(host.dependencies.logger)();
  return asyncLocalStorage.run(context, async () => asJson(await inbound.execute(asJson(input), body)));
}

/** Milliseconds until the next attempt, as the server would count them; undefined when there is none. */
function pauseBeforeNext(error: unknown, attempt: number, retry: RetryPolicy = {}): number | undefined {
  const isOver = attempt >= (retry.maximumAttempts ?? Number.POSITIVE_INFINITY);
  if (!(error instanceof ApplicationFailure) || error.nonRetryable === true || isOver) {
    return undefined;
  }
  const { backoffCoefficient = 2, initialInterval, maximumInterval } = retry;
  const grownMs = millisecondsOf(initialInterval) * backoffCoefficient ** (attempt - 1);
  return error.nextRetryDelay === undefined
    ? Math.min(grownMs, millisecondsOf(maximumInterval))
    : millisecondsOf(error.nextRetryDelay);
}

/** Our own durations are numbers; the SDK would take texts, too. */
function millisecondsOf(duration: RetryPolicy['initialInterval']): number {
  return typeof duration === 'number' ? duration : 1_000;
}

/** Temporal carries JSON: what JSON leaves out must not be relied on. */
function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function infoOf(
  { key, runId, nowMs }: InProcessHost,
  activityType: string,
  attempt: number,
  scheduledMs: number,
): Info {
  return {
    taskToken: new Uint8Array(),
    base64TaskToken: '',
    activityId: activityType,
    activityType,
    attempt,
    isLocal: false,
    inWorkflow: true,
    workflowExecution: { workflowId: workflowIdOf(key), runId },
    workflowType: 'agentSession',
    namespace: 'default',
    workflowNamespace: 'default',
    activityNamespace: 'default',
    taskQueue: 'holdpoint',
    scheduledTimestampMs: scheduledMs,
    currentAttemptScheduledTimestampMs: nowMs(),
    scheduleToCloseTimeoutMs: 0,
    startToCloseTimeoutMs: 0,
    heartbeatDetails: undefined,
  };
}

const SILENT = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
