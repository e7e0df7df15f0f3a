import type { ApprovalStatus, DecisionOutcome } from '../../core/approvals';
import { resultKey } from '../../core/entry-keys';
import { isId } from '../../core/ids';
import { outcomeOfStatus } from '../../core/judge-decision';
import type { RunFence, SettleInput, SettleOutcome } from '../../core/ports/worker-store';
import { findApproval, findDecisions } from './approval-row';
import { lockForRun, positionOf } from './lock-session';
import {
  answerOfCandidate,
  expiryAnswer,
  findStoredAnswers,
  type PendingAnswer,
  withdrawalAnswer,
} from './pending-answers';
import { hasEntry } from './read-entries';
import type { Scope, StoreDatabase } from './store-database';
import { takeAnswers } from './take-answers';

/**
 * See `WorkerStore.settleApproval`. The outcome is `taken` when an answer of a person decided the question, else what
 * the question's status says; while it stays open, the outcome of the last answer, or `recorded` when there was none.
 */
export function settleApproval(database: StoreDatabase, fence: RunFence, input: SettleInput): Promise<SettleOutcome> {
  return database.write(async (scope) => {
    const row = await lockForRun(scope, fence);
    const { approvalId } = input;
    // The id may come from a signal and be anything.
    const approval = isId(approvalId) ? await findApproval(scope, fence, approvalId) : undefined;
    if (approval === undefined) {
      const last = row.last_seq === 0 ? undefined : positionOf(row);
      return { outcome: 'unknown_approval', approval: undefined, decision: undefined, answered: false, last };
    }
    const decisions = await findDecisions(scope, fence.tenant, [approvalId]);
    const isAnswered = await hasEntry(scope, fence, resultKey(approval.call_id));
    const answers = await pendingAnswers(scope, fence, input);
    const taken = await takeAnswers(scope, row, { approval, decisions, isAnswered }, answers, input.at);
    return {
      outcome: overallOutcome(taken.status, taken.outcomes),
      approval: taken.status,
      decision: taken.decision,
      answered: taken.isAnswered,
      last: positionOf(taken.row),
    };
  });
}

/** The order decides between answers: those a gateway stored, then those from signals, then holdpoint's own. */
async function pendingAnswers(scope: Scope, fence: RunFence, input: SettleInput): Promise<readonly PendingAnswer[]> {
  const { approvalId, candidates, expiredAt, withdraw, now } = input;
  return [
    ...(await findStoredAnswers(scope, fence, approvalId)),
    ...candidates.map((candidate) => answerOfCandidate(approvalId, candidate, now)),
    ...(expiredAt === undefined ? [] : [expiryAnswer(expiredAt)]),
    ...(withdraw ? [withdrawalAnswer()] : []),
  ];
}

function overallOutcome(status: ApprovalStatus, outcomes: readonly DecisionOutcome[]): DecisionOutcome {
  if (status === 'pending') {
    return outcomes.at(-1) ?? outcomeOfStatus(status);
  }
  const isByPerson = status === 'approved' || status === 'rejected';
  return isByPerson && outcomes.includes('taken') ? 'taken' : outcomeOfStatus(status);
}
