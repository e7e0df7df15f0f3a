import { Context } from '@temporalio/activity';
import { notRunKey } from '../core/entry-keys';
import { HoldpointError } from '../core/errors';
import { isToolRefused } from '../core/tool-refused';
import { isTurnCancelled } from './activity-cancel';
import type { ActivityDependencies } from './activity-dependencies';
import { type AttemptVerdict, checkAttempt } from './attempt-check';
import { beginWrite, runAgainQuestion, type WriteStart } from './begin-write';
import { answerRecheck, askQuestion, type CallAnswer } from './call-answer';
import { openTry } from './call-record';
import { finishCall, keepLateResult } from './finish-call';
import { outcomeQuestion } from './outcome-question';
import { askAgain, type CallToRun, recheckCall } from './recheck-call';
import { detailText } from './result-text';
import { type BodyRun, runBody, type SettledBody } from './run-body';
import type { SessionLog } from './session-log';
import { toolContextOf } from './tool-context';
import { type BodyResult, resultOfError, resultOfOutput } from './tool-output';
import { approvedPreconditionOf, verifyWrite } from './verify-write';

/** Rounds of checking and beginning again before this attempt gives way to another one. */
const MAX_ROUNDS = 4;

/** A try that has begun. */
interface BegunTry {
  readonly toRun: CallToRun;
  readonly try: number;
  readonly leaseUntilMs: number;
  readonly approvalId: string | undefined;
}

/**
 * Runs a write, at most once as far as anybody can know: what was approved is checked again, the try is recorded before
 * its body starts, and a try whose fate is unknown is settled before the next one.
 */
export async function runWrite(
  dependencies: ActivityDependencies,
  log: SessionLog,
  toRun: CallToRun,
): Promise<CallAnswer> {
  const { call } = toRun;
  const stop = Context.current().cancellationSignal;
  const runAgain = runAgainQuestion(call.questions);
  let approvalId = runAgain?.approvalId ?? grantedQuestion(toRun)?.approvalId;
  let needsCheck = runAgain === undefined && openTry(call.tries) === undefined;
  let checkedAfterTry: number | undefined;
  const attemptToken = globalThis.crypto.randomUUID();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (needsCheck) {
      const recheck = await recheckCall(dependencies, log, toRun, stop);
      throwIfStopped(stop);
      if (recheck.status !== 'go') {
        return answerRecheck(dependencies, log, call, recheck);
      }
      approvalId = recheck.grant?.approvalId;
      needsCheck = false;
    }
    const start = await beginWrite(dependencies, log, { toRun, attemptToken, approvalId, checkedAfterTry, stop });
    if (start.status === 'not_applied') {
      needsCheck = true;
      checkedAfterTry = start.try;
    } else if (start.status === 'begun') {
      return runTry(dependencies, log, { toRun, try: start.try, leaseUntilMs: start.leaseUntilMs, approvalId });
    } else {
      return answerStart(dependencies, log, toRun, start, approvalId);
    }
  }
  throw new HoldpointError('call_busy', `Other attempts are at work on call ${call.callId}.`, { retryAfterMs: 1_000 });
}

function grantedQuestion({ call }: CallToRun): { readonly approvalId: string } | undefined {
  return call.questions.findLast(({ kind }) => kind === 'call');
}

function throwIfStopped(stop: AbortSignal): void {
  if (stop.aborted) {
    throw stop.reason;
  }
}

/** What follows when no try of this attempt's own has begun. */
async function answerStart(
  dependencies: ActivityDependencies,
  log: SessionLog,
  toRun: CallToRun,
  start: Exclude<WriteStart, { status: 'begun' | 'not_applied' }>,
  approvalId: string | undefined,
): Promise<CallAnswer> {
  const { call, scope, tool } = toRun;
  switch (start.status) {
    case 'answered':
      return { status: 'answered', result: start.result };
    case 'applied':
      return {
        status: 'answered',
        result: await finishCall(dependencies, log, { call, result: APPLIED, try: start.try, approvalId }),
      };
    case 'unknown':
      throwIfStopped(Context.current().cancellationSignal);
      return askQuestion(log, call, await outcomeQuestion(dependencies, log, call, tool, scope));
    case 'not_granted': {
      const recheck = await askAgain(dependencies, log, toRun, 'grant_not_usable');
      return recheck.status === 'go'
        ? { status: 'answered', result: await finishCall(dependencies, log, { call, result: NOT_GRANTED }) }
        : answerRecheck(dependencies, log, call, recheck);
    }
  }
}

const APPLIED: BodyResult = { status: 'success', text: detailText('applied-later') };
const NOT_GRANTED: BodyResult = { status: 'denied', code: 'tool_denied', text: detailText('check-failed') };

async function runTry(dependencies: ActivityDependencies, log: SessionLog, begun: BegunTry): Promise<CallAnswer> {
  const { toRun, leaseUntilMs } = begun;
  const { info, cancellationSignal } = Context.current();
  const { timeoutMs } = toRun.tool.definition;
  const verdict = await checkAttempt(dependencies, log, {
    taskToken: info.taskToken,
    leaseUntilMs,
    timeoutMs,
    signal: AbortSignal.any([cancellationSignal, dependencies.stopping]),
  });
  if (verdict.status !== 'start') {
    throw await giveUpTry(dependencies, log, begun, verdict);
  }
  const approvedPrecondition = approvedPreconditionOf(toRun.call);
  const { logger, stopping, timing } = dependencies;
  const run = await runBody(
    (signal) =>
      toRun.tool.definition.execute(
        toRun.scope.args,
        toolContextOf(toRun.scope, { signal, logger, approvedPrecondition }),
      ),
    { effect: 'write', timeoutMs, abandonMs: timing.abandonMs, cancelled: cancellationSignal, stopping },
  );
  // The body has run: what came of it is worth waiting for.
  return settleRun(dependencies, log.withPatience(timing.resultPatienceMs), begun, run);
}

/** The body never ran, and the log says so, so that the next attempt need not wait for the lease. */
async function giveUpTry(
  { stopping }: ActivityDependencies,
  log: SessionLog,
  { toRun, try: number }: BegunTry,
  verdict: AttemptVerdict,
): Promise<unknown> {
  const { callId, turn, round } = toRun.call;
  await log.append({
    entries: [
      {
        key: notRunKey(callId, number),
        type: 'tool.not_run',
        turn,
        round,
        callId,
        data: { try: number, code: verdict.status },
      },
    ],
  });
  const { cancellationSignal } = Context.current();
  const code = stopping.aborted ? 'worker_stopping' : 'call_busy';
  return cancellationSignal.aborted
    ? cancellationSignal.reason
    : new HoldpointError(code, `Try ${number} of call ${callId} did not start: ${verdict.status}.`);
}

async function settleRun(
  dependencies: ActivityDependencies,
  log: SessionLog,
  begun: BegunTry,
  { outcome, stoppedBy }: BodyRun,
): Promise<CallAnswer> {
  const { call } = begun.toRun;
  const finish = async (result: BodyResult): Promise<CallAnswer> => ({
    status: 'answered',
    result: await finishCall(dependencies, log, { call, result, try: begun.try, approvalId: begun.approvalId }),
  });
  if (outcome.status === 'abandoned') {
    keepLate(dependencies, log, begun, outcome.late);
    return settleUnknown(dependencies, log, begun, stoppedBy, { mayStillRun: true }, finish);
  }
  if (outcome.status === 'threw' && stoppedBy !== undefined && !isToolRefused(outcome.error)) {
    return settleUnknown(dependencies, log, begun, stoppedBy, { mayStillRun: false }, finish);
  }
  return finish(resultOfBody(begun, outcome));
}

/** A body that was stopped says nothing about what it had done by then. */
async function settleUnknown(
  dependencies: ActivityDependencies,
  log: SessionLog,
  { toRun }: BegunTry,
  stoppedBy: BodyRun['stoppedBy'],
  { mayStillRun }: { readonly mayStillRun: boolean },
  finish: (result: BodyResult) => Promise<CallAnswer>,
): Promise<CallAnswer> {
  const { call, scope, tool } = toRun;
  const answer = await verifyWrite(dependencies, tool, scope, call);
  if (answer === 'applied') {
    return finish(APPLIED);
  }
  // What has not happened yet may still happen while the body runs.
  if (answer === 'not_applied' && !mayStillRun) {
    const isTimeout = stoppedBy === 'timeout';
    return finish({
      status: isTimeout ? 'timeout' : 'aborted',
      code: isTimeout ? 'tool_timeout' : 'call_aborted',
      text: detailText('not-applied'),
    });
  }
  if (isTurnCancelled()) {
    // A cancel never waits for a human: settleCall answers the call when the lease is over.
    throw Context.current().cancellationSignal.reason;
  }
  return askQuestion(log, call, await outcomeQuestion(dependencies, log, call, tool, scope));
}

function resultOfBody({ toRun }: BegunTry, outcome: SettledBody): BodyResult {
  const { resultBytes } = toRun.call.limits;
  return outcome.status === 'returned'
    ? resultOfOutput(outcome.value, resultBytes)
    : resultOfError(outcome.error, 'write', resultBytes);
}

/** Nobody waits for an abandoned body; what it really did is kept when it comes. */
function keepLate(
  dependencies: ActivityDependencies,
  log: SessionLog,
  begun: BegunTry,
  late: Promise<SettledBody>,
): void {
  const { call } = begun.toRun;
  late
    .then((outcome) =>
      keepLateResult(dependencies, log, { call, result: resultOfBody(begun, outcome), try: begun.try }),
    )
    .catch(() => dependencies.logger.warn('A late result could not be kept.', { ...log.key, callId: call.callId }));
}
