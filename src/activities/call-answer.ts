import type { ToolCallResult } from '../core/activity-contracts';
import type { ApprovalRecord, NewApproval } from '../core/approvals';
import { type EntryOf, isEntry } from '../core/entries';
import { askKey } from '../core/entry-keys';
import { HoldpointError } from '../core/errors';
import type { ActivityDependencies } from './activity-dependencies';
import { askOf, questionEntry } from './call-question';
import { type CallRecord, readResult } from './call-record';
import { finishCall } from './finish-call';
import type { Recheck } from './recheck-call';
import { isoNow, type SessionLog } from './session-log';

/** How an activity of a call ends; the time it took is added by whoever measured it. */
export type CallAnswer =
  | { readonly status: 'answered'; readonly result: EntryOf<'tool.result'> }
  | { readonly status: 'asked'; readonly question: ApprovalRecord | NewApproval };

/** The answer as the workflow gets it: without any text. */
export function toolCallResult(log: SessionLog, answer: CallAnswer, activeMs: number): ToolCallResult {
  const base = { v: 1 as const, activeMs, last: log.lastSeen() };
  if (answer.status === 'asked') {
    return { ...base, status: 'superseded', ask: askOf(answer.question) };
  }
  const { status, text } = answer.result.data;
  return { ...base, status, characters: text.length };
}

/** Writes what a recheck led to: a question that has to be answered first, or the call's result. */
export async function answerRecheck(
  dependencies: Pick<ActivityDependencies, 'store' | 'clock' | 'feed'>,
  log: SessionLog,
  call: CallRecord,
  recheck: Exclude<Recheck, { status: 'go' }>,
): Promise<CallAnswer> {
  switch (recheck.status) {
    case 'asked':
      return { status: 'asked', question: recheck.question };
    case 'answer':
      return { status: 'answered', result: await finishCall(dependencies, log, { call, result: recheck.result }) };
    case 'ask': {
      const { question, because, replaces } = recheck;
      // A grant that was used stays what it is: only one that was not can be superseded.
      return replaces === undefined || replaces.usedBy !== undefined
        ? askQuestion(log, call, question, { because, supersedes: replaces?.approvalId })
        : supersede(dependencies, log, question, because, replaces.approvalId);
    }
  }
}

/** Writes a new question, unless the call has been answered meanwhile. A repeat finds the one that is stored. */
export async function askQuestion(
  log: SessionLog,
  call: CallRecord,
  question: NewApproval,
  reason: { readonly because?: string; readonly supersedes?: string | undefined } = {},
): Promise<CallAnswer> {
  const entry = questionEntry(question);
  const { because, supersedes } = reason;
  const named =
    entry.type === 'approval.requested' && supersedes !== undefined && because !== undefined
      ? { ...entry, data: { ...entry.data, supersedes, because } }
      : entry;
  const appended = await log.append({
    entries: [named],
    approvals: [question],
    onlyWhileOpen: { turn: call.turn, callId: call.callId },
  });
  if (appended.status === 'written') {
    return { status: 'asked', question };
  }
  const result = await readResult(log, call.callId);
  if (result !== undefined) {
    return { status: 'answered', result };
  }
  const stored = await log.readEntry(askKey(call.callId, question.ask));
  const record = isEntry(stored, 'approval.requested')
    ? await log.read((store, { tenant }) => store.readApproval(tenant, stored.data.approvalId))
    : undefined;
  if (record === undefined) {
    throw new HoldpointError('call_aborted', `Turn ${call.turn} ended before call ${call.callId} did.`);
  }
  return { status: 'asked', question: record };
}

async function supersede(
  dependencies: Pick<ActivityDependencies, 'clock'>,
  log: SessionLog,
  next: NewApproval,
  because: string,
  approvalId: string,
): Promise<CallAnswer> {
  const at = await isoNow(dependencies);
  const superseded = await log.write((store, fence) =>
    store.supersedeApproval(fence, { approvalId, next, because, at }),
  );
  return { status: 'asked', question: superseded.next };
}
