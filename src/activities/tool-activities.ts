import { Context } from '@temporalio/activity';
import { type ToolCallInput, type ToolCallResult, toolOfActivityType } from '../core/activity-contracts';
import { HoldpointError } from '../core/errors';
import type { CatalogTool } from '../definitions/catalog';
import { startActiveWatch } from './active-watch';
import type { ActivityDependencies } from './activity-dependencies';
import { runAgainQuestion } from './begin-write';
import { askQuestion, type CallAnswer, toolCallResult } from './call-answer';
import { type CallRecord, openTry, readCall, scopeOf } from './call-record';
import { waitForDefinition } from './definition-grace';
import { runEffect } from './effect-step';
import { finishCall } from './finish-call';
import { outcomeQuestion } from './outcome-question';
import { type CallToRun, digestOfArguments } from './recheck-call';
import { resultText } from './result-text';
import { runRead } from './run-read';
import { runWrite } from './run-write';
import { type RunningStep, withRunningStep } from './running-step';
import type { SessionLog } from './session-log';

/** Activities of the worker that are no fixed names: every `tool.<name>` arrives at `default`. */
export interface ToolActivities {
  default(input: ToolCallInput): Promise<ToolCallResult>;
}

/**
 * Makes the activity that runs tools. One function serves every name, so that a tool that is gone is answered, where an
 * activity without a function would be tried again for ever.
 */
export function createToolActivities(dependencies: ActivityDependencies): ToolActivities {
  return {
    default: (input) => runEffect(dependencies, input.last, (log) => callTool(dependencies, log, input)),
  };
}

async function callTool(
  dependencies: ActivityDependencies,
  log: SessionLog,
  input: ToolCallInput,
): Promise<ToolCallResult> {
  const watch = startActiveWatch(log);
  try {
    const call = await callOf(dependencies, log, input);
    const answer = await withRunningStep(dependencies, log.key, stepOf(call), () =>
      answerCall(dependencies, log, call, input),
    );
    return toolCallResult(log, answer, watch.elapsedMs());
  } finally {
    watch.stop();
  }
}

function stepOf({ callId, turn, round, plan, limits }: CallRecord): RunningStep {
  const { tool } = plan;
  return { step: callId, status: { turn, round, maxRounds: limits.roundsPerTurn, tool, text: `Running ${tool}` } };
}

/** The call that the activity is named for. Throws HoldpointError `invalid_request` for another one. */
async function callOf(dependencies: ActivityDependencies, log: SessionLog, input: ToolCallInput): Promise<CallRecord> {
  const { activityType } = Context.current().info;
  const name = toolOfActivityType(activityType);
  if (name === undefined) {
    throw new HoldpointError('invalid_request', `There is no activity ${activityType}.`);
  }
  const call = await readCall(dependencies, log, input.callId);
  if (call.plan.tool !== name) {
    throw new HoldpointError('invalid_request', `Call ${input.callId} is not one of ${name}.`);
  }
  return call;
}

async function answerCall(
  dependencies: ActivityDependencies,
  log: SessionLog,
  call: CallRecord,
  input: ToolCallInput,
): Promise<CallAnswer> {
  if (call.result !== undefined) {
    return { status: 'answered', result: call.result };
  }
  const newest = call.questions.at(-1);
  if (newest?.status === 'pending') {
    return { status: 'asked', question: newest };
  }
  if (input.argumentsDigest !== expectedDigest(call)) {
    throw new HoldpointError('digest_mismatch', `Call ${call.callId} has other arguments than were asked for.`);
  }
  const tool = await findTool(dependencies, call);
  if (tool === undefined) {
    return answerWithoutTool(dependencies, log, call);
  }
  const toRun = { call, tool, ...scopeOf(log, call, tool) };
  if (hasBegun(call) && !(await readsTheSame(log, toRun))) {
    // What began ran with other arguments than this definition reads: it can neither be verified nor repeated here.
    await waitForDefinition(dependencies, Context.current().info, `the tool ${call.plan.tool}`);
    return answerWithoutTool(dependencies, log, call);
  }
  return tool.definition.effect === 'write' || call.tries.length > 0
    ? runWrite(dependencies, log, toRun)
    : runRead(dependencies, log, toRun);
}

/** What the workflow last heard of the call's arguments: in the question that was approved, or in the plan. */
function expectedDigest({ plan, questions }: CallRecord): string | undefined {
  return questions.findLast(({ kind }) => kind === 'call')?.argumentsDigest ?? plan.argumentsDigest;
}

/**
 * The definition a call runs with. Another one than the call was planned or approved with gets time to be replaced by
 * the right one, on another worker; a call that has begun does not wait, its definition was checked then.
 */
async function findTool(dependencies: ActivityDependencies, call: CallRecord): Promise<CatalogTool | undefined> {
  const tool = dependencies.catalog.tools.get(call.plan.tool);
  const asked = call.questions.findLast(({ kind }) => kind === 'call');
  const isSame = tool?.digest === (asked?.toolDigest ?? call.plan.toolDigest);
  if (tool === undefined || !(isSame || hasBegun(call))) {
    await waitForDefinition(dependencies, Context.current().info, `the tool ${call.plan.tool}`);
  }
  return tool;
}

/** True when a try may have run: the checks before a first try were made then. */
function hasBegun({ tries, questions }: CallRecord): boolean {
  return openTry(tries) !== undefined || runAgainQuestion(questions) !== undefined;
}

async function readsTheSame(log: SessionLog, { call, scope, parsed }: CallToRun): Promise<boolean> {
  return parsed.ok && (await digestOfArguments(log, call, scope)) === expectedDigest(call);
}

async function answerWithoutTool(
  dependencies: ActivityDependencies,
  log: SessionLog,
  call: CallRecord,
): Promise<CallAnswer> {
  const open = call.tries.findLast(({ mayHaveRun }) => mayHaveRun);
  if (open === undefined) {
    const result = { status: 'unavailable', code: 'tool_unavailable', text: resultText('unavailable') } as const;
    return { status: 'answered', result: await finishCall(dependencies, log, { call, result }) };
  }
  const leaseLeftMs = open.leaseUntilMs - (await log.read((store) => store.clockMs()));
  if (leaseLeftMs > 0) {
    throw new HoldpointError('call_busy', `Another attempt is at work on call ${call.callId}.`, {
      retryAfterMs: leaseLeftMs,
    });
  }
  const scope = { key: log.key, callId: call.callId, tool: call.plan.tool, args: {}, principal: call.principal };
  return askQuestion(log, call, await outcomeQuestion(dependencies, log, call, undefined, scope));
}
