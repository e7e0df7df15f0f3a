import { Context } from '@temporalio/activity';
import type { CallSettled, EffectActivities, SettleCallInput } from '../core/activity-contracts';
import type { ApprovalRecord, NewApproval } from '../core/approvals';
import type { EntryOf } from '../core/entries';
import { HoldpointError } from '../core/errors';
import type { ActivityDependencies } from './activity-dependencies';
import { askOf, questionEntry } from './call-question';
import { type CallRecord, readCall, readResult, scopeOf, type TryRecord } from './call-record';
import { runEffect } from './effect-step';
import { finishCall, resultEntryOf } from './finish-call';
import { outcomeQuestion } from './outcome-question';
import { pause } from './pause';
import { readQuestions } from './rebuild-reply';
import { detailText, resultText } from './result-text';
import type { SessionLog } from './session-log';
import type { BodyResult } from './tool-output';
import { verifyWrite } from './verify-write';

/** Makes the activity that finds out what became of a call whose own activity can't say. */
export function createSettleCallActivities(dependencies: ActivityDependencies): Pick<EffectActivities, 'settleCall'> {
  return {
    settleCall: (input) => runEffect(dependencies, input.last, (log) => settleCall(dependencies, log, input)),
  };
}

async function settleCall(
  dependencies: ActivityDependencies,
  log: SessionLog,
  input: SettleCallInput,
): Promise<CallSettled> {
  const before = await readCall(dependencies, log, input.callId);
  const result = before.result ?? (await waitForLease(dependencies, log, before));
  if (result !== undefined) {
    return settled(log, result);
  }
  // While this one waited, the call's own activity may have said that its body never ran.
  const call = await readCall(dependencies, log, input.callId);
  if (lastEffect(call) === undefined) {
    // Nothing that could have an effect has begun.
    return finish(dependencies, log, call, { status: 'aborted', code: 'call_aborted', text: resultText('aborted') });
  }
  const tool = dependencies.catalog.tools.get(call.plan.tool);
  const scope = tool === undefined ? scopeWithoutTool(log, call) : scopeOf(log, call, tool).scope;
  const { cancellationSignal } = Context.current();
  const answer = await verifyWrite(dependencies, tool, scope, call, cancellationSignal);
  if (answer === 'unknown' && cancellationSignal.aborted) {
    throw cancellationSignal.reason;
  }
  switch (answer) {
    case 'applied':
      return finish(dependencies, log, call, { status: 'success', text: detailText('applied-later') });
    case 'not_applied': {
      const text = detailText('not-applied');
      return finish(dependencies, log, call, { status: 'aborted', code: 'call_aborted', text });
    }
    case 'unknown': {
      // Its own activity may have asked meanwhile: two questions at one place would be a conflict.
      const asked = { ...call, questions: await readQuestions(log, input.callId) };
      return answerUnknown(log, asked, await outcomeQuestion(dependencies, log, asked, tool, scope));
    }
  }
}

/** The last try that may have had an effect, whatever came after it. */
function lastEffect({ tries }: CallRecord): TryRecord | undefined {
  return tries.findLast(({ mayHaveRun }) => mayHaveRun);
}

/** Waits until the open try may act no more. Its result, when it comes meanwhile, is the answer. */
async function waitForLease(
  { timing }: ActivityDependencies,
  log: SessionLog,
  call: CallRecord,
): Promise<EntryOf<'tool.result'> | undefined> {
  const open = lastEffect(call);
  if (open === undefined) {
    return undefined;
  }
  const { cancellationSignal } = Context.current();
  for (;;) {
    const leaseLeftMs = open.leaseUntilMs - (await log.read((store) => store.clockMs()));
    const result = await readResult(log, call.callId);
    if (result !== undefined || leaseLeftMs < 0) {
      return result;
    }
    await pause(Math.min(timing.pollMs, leaseLeftMs + 1), cancellationSignal);
    if (cancellationSignal.aborted) {
      throw cancellationSignal.reason;
    }
  }
}

async function finish(
  dependencies: ActivityDependencies,
  log: SessionLog,
  call: CallRecord,
  result: BodyResult,
): Promise<CallSettled> {
  const tryNumber = lastEffect(call)?.try;
  const ending = { call, result, ...(tryNumber === undefined ? {} : { try: tryNumber }) };
  return settled(log, await finishCall(dependencies, log, ending));
}

/** Answers the call as unknown and asks a human, in one transaction. A question that is open already stays the one. */
async function answerUnknown(log: SessionLog, call: CallRecord, question: NewApproval): Promise<CallSettled> {
  const open = call.questions.findLast(({ kind, status }) => kind === 'outcome' && status === 'pending');
  const tryNumber = lastEffect(call)?.try;
  const { entry } = resultEntryOf({
    call,
    result: { status: 'outcome_unknown', code: 'outcome_unknown', text: resultText('outcome_unknown') },
    ...(tryNumber === undefined ? {} : { try: tryNumber }),
    approvalId: (open ?? question).approvalId,
  });
  await log.append({
    entries: open === undefined ? [entry, questionEntry(question)] : [entry],
    approvals: open === undefined ? [question] : [],
    onlyWhileOpen: { turn: call.turn, callId: call.callId },
  });
  const result = await readResult(log, call.callId);
  if (result === undefined) {
    throw new HoldpointError('call_aborted', `Turn ${call.turn} ended before call ${call.callId} did.`);
  }
  return settled(log, result);
}

/** The answer with the question that is open about it, if there is one. */
async function settled(log: SessionLog, result: EntryOf<'tool.result'>): Promise<CallSettled> {
  const { status, text } = result.data;
  const open = status === 'outcome_unknown' ? await openOutcomeQuestion(log, result.callId) : undefined;
  return {
    v: 1,
    status,
    characters: text.length,
    ...(open === undefined ? {} : { ask: askOf(open) }),
    last: log.lastSeen(),
  };
}

async function openOutcomeQuestion(log: SessionLog, callId: string | undefined): Promise<ApprovalRecord | undefined> {
  const questions = callId === undefined ? [] : await readQuestions(log, callId);
  return questions.findLast(({ kind, status }) => kind === 'outcome' && status === 'pending');
}

function scopeWithoutTool(log: SessionLog, { callId, plan, principal }: CallRecord) {
  return { key: log.key, callId, tool: plan.tool, args: {}, principal };
}
