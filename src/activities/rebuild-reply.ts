import type { CallModelResult } from '../core/activity-contracts';
import type { ApprovalRecord } from '../core/approvals';
import { type EntryOf, isEntry } from '../core/entries';
import { askKey, resultKey } from '../core/entry-keys';
import type { Limits } from '../core/limits';
import type { CallPlan } from '../core/tools';
import type { SessionLog } from './session-log';

/** The result of `callModel` for a reply that is in the log: what is stored counts, never what was meant to be. */
export function resultOfReply(
  log: SessionLog,
  reply: EntryOf<'model.reply'>,
  calls: readonly CallPlan[],
  limits: Limits | undefined,
): CallModelResult {
  const { finish, usage, activeMs } = reply.data;
  return {
    v: 1,
    finish,
    calls: calls.map(({ toolDigest: _inTheLog, ...plan }) => plan),
    usage,
    activeMs,
    ...(limits === undefined ? {} : { limits }),
    last: log.lastSeen(),
  };
}

/**
 * The plans of a stored reply as they are now: a question may have been asked again, decided, or answered since.
 * A reviewed call that was approved, or has its result already, is one to run: its activity finds out which.
 */
export async function currentPlans(log: SessionLog, reply: EntryOf<'model.reply'>): Promise<readonly CallPlan[]> {
  const plans: CallPlan[] = [];
  for (const plan of reply.data.calls) {
    plans.push(plan.verdict === 'review' ? await currentPlan(log, plan) : plan);
  }
  return plans;
}

async function currentPlan(log: SessionLog, plan: CallPlan): Promise<CallPlan> {
  const questions = await readQuestions(log, plan.callId);
  const question = questions.findLast(({ kind }) => kind === 'call');
  const isAnswered = (await log.readEntry(resultKey(plan.callId))) !== undefined;
  const verdict = isAnswered || question?.status !== 'pending' ? 'run' : 'review';
  if (question === undefined) {
    return { ...plan, verdict };
  }
  const { approvalId, expiresAt, argumentsDigest, toolDigest } = question;
  return { ...plan, verdict, approvalId, expiresAt, argumentsDigest, toolDigest };
}

/** Every question a call has led to, oldest first. */
export async function readQuestions(log: SessionLog, callId: string): Promise<readonly ApprovalRecord[]> {
  const questions: ApprovalRecord[] = [];
  for (let ask = 1; ; ask += 1) {
    const entry = await log.readEntry(askKey(callId, ask));
    if (!isEntry(entry, 'approval.requested')) {
      return questions;
    }
    const { approvalId } = entry.data;
    const record = await log.read((store, { tenant }) => store.readApproval(tenant, approvalId));
    if (record !== undefined) {
      questions.push(record);
    }
  }
}
