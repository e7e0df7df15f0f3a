import type { DecisionWord } from '../../core/approvals';
import { TAKEN_TEXT } from '../../core/display/taken-text';
import { momentText } from '../../core/display/time-text';
import type { DecisionAnswer } from '../../core/http-answers';
import { EXIT_CODES, type ExitCode } from '../exit-codes';
import { foreignLine } from './foreign-text';

/** What became of a decision, and what to do next; a terminal may be given it. */
export function outcomeText(word: DecisionWord, answer: DecisionAnswer, nowMs: number): string {
  const { outcome, decisionId, approval } = answer;
  const lookAgain = `Look again: holdpoint approvals show ${foreignLine(approval.approvalId)}`;
  switch (outcome) {
    case null:
      return `Stored. It takes effect when a worker is back. Decision ${foreignLine(decisionId)}.`;
    case 'taken':
      return TAKEN_TEXT[word];
    case 'recorded':
      return `Your decision is recorded; ${approval.approversNeeded} people have to approve.`;
    case 'already_decided':
      return `${decidedText(answer, nowMs)} Your decision was not used.`;
    case 'expired':
      return `Expired at ${momentText(approval.expiresAt, nowMs)}. Nothing will run.`;
    case 'cancelled':
      return 'The turn was cancelled. Nothing will run.';
    case 'superseded':
      return 'It was replaced by another question. See: holdpoint approvals list';
    case 'digest_mismatch':
      return `These are not the arguments that would run. ${lookAgain}`;
    case 'not_allowed':
      return 'You may not decide this.';
    case 'invalid':
      return approval.kind === 'outcome'
        ? `It asks what became of a call: holdpoint approvals answer ${foreignLine(approval.approvalId)} applied|run_again|abandon`
        : `It can only be approved or rejected. ${lookAgain}`;
    case 'invalid_signature':
      return 'The gateway did not accept the signature of this decision.';
    case 'unknown_approval':
      return 'This question no longer exists. See: holdpoint approvals list';
  }
}

/** Who decided what, of a question that is no longer open. */
export function decidedText({ approval }: Pick<DecisionAnswer, 'approval'>, nowMs: number): string {
  const winner = approval.decisions.find(({ outcome }) => outcome === 'taken');
  return winner === undefined
    ? `Already ${approval.status}.`
    : `Already ${approval.status} by ${foreignLine(winner.principal)} at ${momentText(winner.at, nowMs)}.`;
}

/** The exit code that says the same. */
export function outcomeExitCode({ outcome }: DecisionAnswer): ExitCode {
  switch (outcome) {
    case 'taken':
      return EXIT_CODES.done;
    case null:
    case 'recorded':
      return EXIT_CODES.unsettled;
    case 'unknown_approval':
      return EXIT_CODES.notFound;
    default:
      return EXIT_CODES.refused;
  }
}
