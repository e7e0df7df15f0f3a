import type { Decide } from '../../client/holdpoint-client';
import { OUTCOME_DECISIONS } from '../../core/approvals';
import type { ApprovalDetail } from '../../core/http-answers';
import { isApproval } from '../confirm-approval';
import { foreignLine } from '../text/foreign-text';

/** What a line that was typed at a question means. */
export type ChatAnswer =
  | { readonly kind: 'decide'; readonly decision: Decide['decision'] }
  | { readonly kind: 'later' }
  | { readonly kind: 'nothing' };

/** What is asked below a question. */
export function chatQuestion({ kind, tool, risk }: ApprovalDetail): string {
  if (kind === 'outcome') {
    return `${OUTCOME_DECISIONS.join(', ')} or l for later: `;
  }
  return risk === 'high'
    ? `type ${foreignLine(tool)} to approve, r to reject, l for later: `
    : 'a to approve, r to reject, l for later: ';
}

/** Reads a line typed at a question. An empty line never decides; a high risk is approved by the tool's name only. */
export function chatAnswer(approval: ApprovalDetail, line: string): ChatAnswer {
  const word = line.trim();
  if (word === 'l') {
    return { kind: 'later' };
  }
  if (approval.kind === 'outcome') {
    const decision = OUTCOME_DECISIONS.find((known) => known === word);
    return decision === undefined ? { kind: 'nothing' } : { kind: 'decide', decision };
  }
  if (word === 'r') {
    return { kind: 'decide', decision: 'reject' };
  }
  return isApproval(approval, word) ? { kind: 'decide', decision: 'approve' } : { kind: 'nothing' };
}
