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

/**
 * Runs the activities of a worker in this process, as Temporal would: each attempt in an activity context of its own,
 * under the worker's interceptor, with inputs and results that went through JSON, and repeated by the retry policy of the
 * command. Time limits and heartbeats are not watched.
 */
export function createInProcessActivities(host: InProcessHost): ActivitiesFor {
  const activities = createActivities(host.dependencies);
  return (signal) => {
    const run = <Input, Result>(type: string, body: Body<Input, Result>, input: Input, { retry }: Retried) =>
      runAttempts(host, { type, body, input, retry, signal });
    return {
      local: {
        openSession: (input) => run('openSession', activities.openSession, input, LOCAL_OPTIONS),
        settleApproval: (input) => run('settleApproval', activities.settleApproval, input, LOCAL_OPTIONS),
        storeMessages: (input) => run('storeMessages', activities.storeMessages, input, LOCAL_OPTIONS),
        endTurn: (input) => run('endTurn', activities.endTurn, input, LOCAL_OPTIONS),
        closeSession: (input) => run('closeSession', activities.closeSession, input, LOCAL_OPTIONS),
      },
      callModel: (input, options) => run('callModel', activities.callModel, input, options),
      settleCall: (input, options) => run('settleCall', activities.settleCall, input, options),
      runTool: (tool, input, options) => run(toolActivityType(tool), activities.default, input, options),
    };
  };
}

type Body<Input, Result> = (input: Input) => Promise<Result>;

interface Retried {
  readonly retry?: RetryPolicy;
}

interface ActivityRun<Input, Result> {
  readonly type: string;
  readonly body: Body<Input, Result>;
  readonly input: Input;
  readonly retry: RetryPolicy | undefined;
  readonly signal: AbortSignal;
}

async function runAttempts<Input, Result>(host: InProcessHost, run: ActivityRun<Input, Result>): Promise<Result> {
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

function runAttempt<Input, Result>(
  host: InProcessHost,
  { input, signal, body }: ActivityRun<Input, Result>,
  info: Info,
): Promise<Result> {
  const cancelled = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Most activities look at the signal only.
  cancelled.catch(() => undefined);
  const context = new Context(info, cancelled, signal, () => undefined, undefined, SILENT, noopMetricMeter, {});
  const { inbound } = createFailureInterceptor(host.dependencies.logger)();
  return asyncLocalStorage.run(context, async () => asJson((await inbound.execute(asJson(input), body)) as Result));
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
function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
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
    // oxlint-disable-next-line typescript/no-deprecated -- the type still asks for it
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
