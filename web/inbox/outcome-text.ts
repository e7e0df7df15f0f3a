import type { DecisionOutcome, DecisionWord } from '../../src/core/approvals';
import { TAKEN_TEXT } from '../../src/core/display/taken-text';
import { momentText } from '../../src/core/display/time-text';
import { agreedCount, type KnownApproval, takenDecision } from './known-approval';

/** What the person who decided is told became of it. Plain text; names in it are shown as foreign text. */
export function outcomeText(
  word: DecisionWord,
  outcome: DecisionOutcome | null,
  decisionId: string,
  approval: KnownApproval,
  nowMs: number,
): string {
  switch (outcome) {
    case null:
      return `Stored. It takes effect when a worker is back. Decision ${decisionId}.`;
    case 'taken':
      // The write, or the end of its turn, may have been faster than this answer.
      return approval.status === 'approved' || approval.status === 'rejected'
        ? TAKEN_TEXT[word]
        : 'Your decision was taken, but not used.';
    case 'recorded':
      return `Your approval is recorded: ${agreedCount(approval)} of ${approval.approversNeeded ?? 1}.`;
    case 'already_decided': {
      const winner = takenDecision(approval);
      const who = winner === undefined ? '' : ` by ${winner.principal}`;
      const when = winner === undefined ? '' : ` at ${momentText(winner.decidedAt ?? winner.at, nowMs)}`;
      return `Already ${statusWord(approval)}${who}${when}. Your decision was not used.`;
    }
    case 'expired':
      return `Expired at ${momentText(approval.expiresAt, nowMs)}. Nothing will run.`;
    case 'cancelled':
      return 'The turn was cancelled. Nothing will run.';
    case 'superseded':
    case 'digest_mismatch':
      return 'The arguments changed after you opened this. Look again.';
    case 'not_allowed':
      return 'You may not decide this.';
    case 'invalid':
    case 'invalid_signature':
      return 'The gateway did not accept this decision. Load the page again.';
    case 'unknown_approval':
      return 'This question no longer exists.';
  }
}

/** One word, or a few, for what became of a question. */
export function statusWord(approval: KnownApproval): string {
  const word = takenDecision(approval)?.decision;
  switch (approval.status) {
    case 'pending':
      return 'open';
    case 'approved':
      return word === 'applied' ? 'answered "it was applied"' : word === 'run_again' ? 'told to run again' : 'approved';
    case 'rejected':
      return word === 'abandon' ? 'abandoned' : 'rejected';
    case 'superseded':
      return 'replaced';
    case 'expired':
    case 'cancelled':
      return approval.status;
  }
}
