import type { ApprovalStatus } from '../../core/approvals';
import type { NewEntry, ToolResultData } from '../../core/entries';
import { resultKey } from '../../core/entry-keys';
import { approvalBodyOf, type DecisionBody } from './approval-row';
import type { ApprovalRow } from './tables';

type Ending = Pick<ToolResultData, 'status' | 'code' | 'text'>;

/**
 * The result of a call that a decision answers, because it will not run (again); undefined when it may run.
 *
 * @param decision The decision that was taken.
 * @param status The question's status behind it.
 */
export function decidedResult(
  approval: ApprovalRow,
  decision: DecisionBody,
  status: ApprovalStatus,
): NewEntry | undefined {
  const ending = approval.kind === 'call' ? callEnding(approval, decision, status) : outcomeEnding(decision, status);
  if (ending === undefined) {
    return undefined;
  }
  const { tool, round } = approvalBodyOf(approval);
  return {
    key: resultKey(approval.call_id),
    type: 'tool.result',
    turn: approval.turn,
    round,
    callId: approval.call_id,
    data: { tool, ...ending, approvalId: approval.approval_id },
  };
}

function callEnding(approval: ApprovalRow, { comment }: DecisionBody, status: ApprovalStatus): Ending | undefined {
  if (status === 'rejected') {
    const reason = comment ? ` Their comment: ${comment}` : '';
    return {
      status: 'rejected',
      code: 'call_rejected',
      text: `Not run: a person looked at this call and rejected it.${reason}\nDo not ask for it again in this turn.`,
    };
  }
  if (status === 'expired') {
    return {
      status: 'expired',
      code: 'expired',
      text: `Not run: nobody decided about this call until ${approval.expires_at}. That is no rejection; say that it is still undone.`,
    };
  }
  return undefined;
}

function outcomeEnding({ decision, comment }: DecisionBody, status: ApprovalStatus): Ending | undefined {
  const note = comment ? ` Their comment: ${comment}` : '';
  if (decision === 'applied') {
    return {
      status: 'success',
      text: `This call was interrupted. A person has confirmed that it took effect; its own output is lost.${note}`,
    };
  }
  if (decision === 'abandon') {
    return {
      status: 'outcome_unknown',
      code: 'outcome_unknown',
      text: `This call was interrupted, and it is not known whether it took effect. A person gave it up: do not repeat it.${note}`,
    };
  }
  if (status === 'expired') {
    return {
      status: 'outcome_unknown',
      code: 'outcome_unknown',
      text: 'This call was interrupted, and it is not known whether it took effect. Nobody answered in time: do not repeat it.',
    };
  }
  return undefined;
}
