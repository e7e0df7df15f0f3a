import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { type ActivityDependencies, DEFAULT_TIMING } from '../../../src/activities/activity-dependencies';
import { createActivities } from '../../../src/activities/create-activities';
import { createFailureInterceptor } from '../../../src/activities/failure-mapping';
import { openStore } from '../../../src/adapters/store/open-store';
import type {
  CallModelInput,
  CallModelResult,
  SessionOpened,
  StepRefused,
  ToolCallResult,
} from '../../../src/core/activity-contracts';
import type { Entry, EntryOf, EntryType } from '../../../src/core/entries';
import { type SessionId, type SessionKey, type Tenant, workflowIdOf } from '../../../src/core/ids';
import type { Limits } from '../../../src/core/limits';
import type { FeedEvent } from '../../../src/core/ports/feed';
import type { Logger } from '../../../src/core/ports/logger';
import type { SessionStore } from '../../../src/core/ports/session-store';
import type { CallPlan } from '../../../src/core/tools';
import { buildCatalog } from '../../../src/definitions/build-catalog';
import { defineAgent } from '../../../src/definitions/define-agent';
import { defineTool, type ToolDefinition, type ToolOptions } from '../../../src/definitions/define-tool';
import { createFakeTemporal, type FakeTemporal } from './fake-temporal';
import { createScriptedModel, type ScriptedModel } from './scripted-model';

type Activities = ReturnType<typeof createActivities>;

/** One session on a real store, with a scripted model and a Temporal that the test answers for. */
export interface ActivityWorld {
  readonly store: SessionStore;
  readonly key: SessionKey;
  readonly runId: string;
  readonly model: ScriptedModel;
  readonly temporal: FakeTemporal;
  readonly stopping: AbortController;
  /** Milliseconds the clock is ahead of this process. */
  clockAheadMs: number;
  /** Everything activities have handed to Temporal, as JSON. */
  readonly handedOver: string[];
  readonly logLines: string[];
  /** Everything activities have published. */
  readonly feedEvents: FeedEvent[];
  /** Changes what activities are made of from now on. */
  use(changes: Partial<ActivityDependencies>): void;
  useTools(tools: readonly ToolDefinition[], limits?: Partial<Limits>): void;
  /** Runs one activity attempt. */
  run<Result>(body: (activities: Activities) => Promise<Result>, info?: Partial<Info>): Promise<Result>;
  /** The same, with a hand on the attempt. */
  start<Result>(body: (activities: Activities) => Promise<Result>, info?: Partial<Info>): RunningAttempt<Result>;
  /** Opens the session with one stored message. */
  open(content?: string): Promise<SessionOpened>;
  /** One model round; turn 1, round 1 with the stored message unless said otherwise. */
  callModel(changes?: Partial<CallModelInput>, info?: Partial<Info>): Promise<CallModelResult>;
  /** Runs a call with what its plan says. */
  callTool(plan: CallPlan, changes?: { approvalId?: string }, info?: Partial<Info>): Promise<ToolCallResult>;
  /** Approves a question as a stored decision of a person would. */
  decide(approvalId: string, decision: string, argumentsDigest?: string): Promise<string>;
  entries(): Promise<readonly Entry[]>;
  entriesOf<Type extends EntryType>(type: Type): Promise<readonly EntryOf<Type>[]>;
  close(): Promise<void>;
}

export interface RunningAttempt<Result> {
  readonly result: Promise<Result>;
  readonly environment: MockActivityEnvironment;
}

/** Times short enough for tests that wait for them. */
const TIMING = { ...DEFAULT_TIMING, storePatienceMs: 300, resultPatienceMs: 500, abandonMs: 20, pollMs: 20 };

export async function createActivityWorld(): Promise<ActivityWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-activities-'));
  const store = await openStore({ kind: 'sqlite', path: join(folder, 'store.db') }, { migrate: true });
  const key = { tenant: 'default' as Tenant, sessionId: `s_${randomBytes(9).toString('hex')}` as SessionId };
  const runId = 'run-1';
  const logLines: string[] = [];
  const handedOver: string[] = [];
  const feedEvents: FeedEvent[] = [];
  const logger = collectingLogger(logLines);
  const model = createScriptedModel();
  const temporal = createFakeTemporal(runId);
  const stopping = new AbortController();
  let dependencies: ActivityDependencies = {
    store,
    catalog: catalogOf([readTool()]),
    adapters: new Map([[model.api, model]]),
    clock: { nowMs: async () => Date.now() + world.clockAheadMs },
    logger,
    feed: { publish: (event) => void feedEvents.push(event) },
    temporal,
    policy: undefined,
    definitionGraceMs: 0,
    createsMissingRows: false,
    stopping: stopping.signal,
    timing: TIMING,
  };

  const start: ActivityWorld['start'] = (body, info = {}) => {
    const environment = new MockActivityEnvironment(
      { workflowExecution: { workflowId: workflowIdOf(key), runId }, scheduledTimestampMs: Date.now(), ...info },
      { interceptors: [createFailureInterceptor(logger)], logger: silentSdkLogger },
    );
    const activities = createActivities(dependencies);
    const result = environment.run(() => body(activities)) as ReturnType<typeof body>;
    return { environment, result: recorded(result, handedOver) };
  };

  const world: ActivityWorld = {
    ...{ store, key, runId, model, temporal, stopping, handedOver, logLines, feedEvents, clockAheadMs: 0 },
    use: (changes) => {
      dependencies = { ...dependencies, ...changes };
    },
    useTools: (tools, limits) => {
      dependencies = { ...dependencies, catalog: catalogOf(tools, limits) };
    },
    start,
    run: (body, info) => start(body, info).result,
    open: async (content = 'hello') => {
      await store.createSession({ ...key, agent: 'tester', message: storedMessage('m1', content), at: at() });
      return opened(await world.run(({ openSession }) => openSession({ v: 1, agent: 'tester' })));
    },
    callModel: (changes = {}, info = {}) => {
      const first = { messages: [{ messageId: 'm1', mode: 'followup' as const }] };
      const isFirst = (changes.round ?? 1) === 1;
      const input = { v: 1 as const, turn: 1, round: 1, limitMs: 60_000, ...(isFirst ? first : {}), ...changes };
      return world.run(({ callModel }) => callModel(input), info);
    },
    callTool: (plan, changes = {}, info = {}) =>
      world.run((activities) => activities.default(toolInput({ ...plan, ...changes })), {
        activityType: `tool.${plan.tool}`,
        ...info,
      }),
    decide: async (approvalId, decision, argumentsDigest) => {
      const digest = argumentsDigest ?? (await store.readApproval(key.tenant, approvalId))?.argumentsDigest ?? '';
      const settled = await world.run(({ settleApproval }) =>
        settleApproval({
          v: 1,
          approvalId,
          candidates: [{ decision, argumentsDigest: digest, principal: 'ann' }],
          now: at(),
        }),
      );
      return settled.status === 'settled' ? settled.outcome : settled.code;
    },
    entries: () => store.readEntries(key, 0, 10_000),
    entriesOf: async <Type extends EntryType>(type: Type) =>
      (await world.entries()).filter((entry): entry is EntryOf<Type> => entry.type === type),
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

export function at(): string {
  return new Date().toISOString();
}

export function storedMessage(messageId: string, content: string) {
  return { messageId, mode: 'followup', content, principal: 'local', provenance: 'authenticated' } as const;
}

/** What the workflow sends for a call. */
export function toolInput(plan: CallPlan) {
  const { callId, argumentsDigest = '', approvalId } = plan;
  return { v: 1 as const, callId, argumentsDigest, ...(approvalId === undefined ? {} : { approvalId }) };
}

/** The first element, which has to be there. */
export function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) {
    throw new Error('There is no first element.');
  }
  return item;
}

/** The code of the failure a promise is rejected with, and whether it may be tried again. */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<{ readonly code: unknown; readonly retryable: boolean; readonly message: unknown }> {
  try {
    await promise;
  } catch (error) {
    const { type, message, nonRetryable } = error as { type?: string; message?: string; nonRetryable?: boolean };
    return { code: type ?? message, retryable: nonRetryable !== true, message };
  }
  throw new Error('The promise was not rejected.');
}

const parameters = z.object({ text: z.string() });
type TestTool = Partial<ToolOptions<typeof parameters>>;

/** A read that returns its text. */
export function readTool(changes: TestTool = {}): ToolDefinition {
  return defineTool({
    ...{ name: 'look', description: 'Looks.', parameters, effect: 'read', timeoutMs: 1_000 },
    execute: async ({ text }) => `saw ${text}`,
    ...changes,
  });
}

/** A write that counts how often its body ran. */
export function writeTool(changes: TestTool = {}): ToolDefinition & { readonly ran: string[] } {
  const ran: string[] = [];
  const tool = defineTool({
    ...{ name: 'change', description: 'Changes.', parameters, effect: 'write', timeoutMs: 1_000 },
    ...changes,
    execute: async (args, context) => {
      ran.push(args.text);
      return changes.execute === undefined ? `changed ${args.text}` : changes.execute(args, context);
    },
  });
  return { ...tool, ran };
}

function catalogOf(tools: readonly ToolDefinition[], limits: Partial<Limits> = {}) {
  const agent = defineAgent({ name: 'tester', model: 'scripted:one', system: 'You test.', tools, limits });
  return buildCatalog({ agents: [agent], defaultModel: 'scripted:one' });
}

function opened(result: SessionOpened | StepRefused): SessionOpened {
  if (result.status !== 'opened') {
    throw new Error(`The session was refused: ${result.code}.`);
  }
  return result;
}

/** Temporal sees results and failures as JSON, and so does the test. */
async function recorded<Result>(promise: Promise<Result>, handedOver: string[]): Promise<Result> {
  try {
    const json = JSON.stringify((await promise) ?? null);
    handedOver.push(json);
    return JSON.parse(json) as Result;
  } catch (error) {
    const { message, stack, cause, type, details } = error as Record<string, unknown>;
    handedOver.push(JSON.stringify({ message, stack, cause: String(cause), type, details }));
    throw error;
  }
}

const silentSdkLogger = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

function collectingLogger(lines: string[]): Logger {
  const line = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    const { error, ...rest } = fields;
    lines.push(`${message} ${JSON.stringify(rest)} ${error instanceof Error ? error.stack : ''}`);
  };
  return { debug: line, info: line, warn: line, error: line };
}
