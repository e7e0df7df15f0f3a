import { Context } from '@temporalio/activity';
import { HoldpointError } from '../core/errors';
import type { ActivityDependencies } from './activity-dependencies';
import { answerRecheck, type CallAnswer } from './call-answer';
import { finishCall, keepLateResult } from './finish-call';
import { type CallToRun, recheckCall } from './recheck-call';
import { resultText } from './result-text';
import { runBody, type SettledBody } from './run-body';
import type { SessionLog } from './session-log';
import { toolContextOf } from './tool-context';
import { type BodyResult, resultOfError, resultOfOutput } from './tool-output';
import { approvedPreconditionOf } from './verify-write';

/** Runs a read. It changes nothing, so it may run again whenever an attempt was lost. */
export async function runRead(
  dependencies: ActivityDependencies,
  log: SessionLog,
  toRun: CallToRun,
): Promise<CallAnswer> {
  const { call, scope, tool } = toRun;
  const { cancellationSignal } = Context.current();
  const recheck = await recheckCall(dependencies, log, toRun, cancellationSignal);
  if (cancellationSignal.aborted) {
    throw cancellationSignal.reason;
  }
  if (recheck.status !== 'go') {
    return answerRecheck(dependencies, log, call, recheck);
  }
  const { logger, stopping, timing } = dependencies;
  const approvedPrecondition = approvedPreconditionOf(call);
  const { outcome, stoppedBy } = await runBody(
    (signal) => tool.definition.execute(scope.args, toolContextOf(scope, { signal, logger, approvedPrecondition })),
    {
      effect: 'read',
      timeoutMs: tool.definition.timeoutMs,
      abandonMs: timing.abandonMs,
      cancelled: cancellationSignal,
      stopping,
    },
  );
  const { resultBytes } = call.limits;
  const approvalId = recheck.grant?.approvalId;
  const finish = async (result: BodyResult): Promise<CallAnswer> => ({
    status: 'answered',
    result: await finishCall(dependencies, log, { call, result, approvalId }),
  });
  if (outcome.status === 'returned' || (outcome.status === 'threw' && stoppedBy === undefined)) {
    return finish(resultOfRead(outcome, resultBytes));
  }
  if (stoppedBy === 'stopped') {
    throw cancellationSignal.aborted
      ? cancellationSignal.reason
      : new HoldpointError('worker_stopping', `The worker stops before call ${call.callId} is done.`);
  }
  if (outcome.status === 'abandoned') {
    outcome.late
      .then((late) => keepLateResult(dependencies, log, { call, result: resultOfRead(late, resultBytes) }))
      .catch(() => logger.warn('A late result could not be kept.', { ...log.key, callId: call.callId }));
  }
  return finish(
    stoppedBy === 'timeout'
      ? { status: 'timeout', code: 'tool_timeout', text: resultText('timeout') }
      : { status: 'aborted', code: 'call_aborted', text: resultText('aborted') },
  );
}

function resultOfRead(outcome: SettledBody, resultBytes: number): BodyResult {
  return outcome.status === 'returned'
    ? resultOfOutput(outcome.value, resultBytes)
    : resultOfError(outcome.error, 'read', resultBytes);
}
