import type { ApprovalRecord } from '../core/approvals';
import type { TurnOutcome } from '../core/sessions';
import type { ToolStatus } from '../core/tools';

/** Statuses whose text is the same whatever the tool was. */
type FixedStatus = Exclude<ToolStatus, 'success' | 'error' | 'invalid'>;

const TEXTS: Readonly<Record<FixedStatus, string>> = {
  timeout: 'The tool was stopped because it took too long. It did not finish.',
  denied: 'Not run: the policy of this agent does not allow this call. Do not repeat it.',
  unknown_tool: 'Not run: there is no tool of this name.',
  skipped: 'Not run: a limit of this turn was reached. Call no more tools; answer with what you have.',
  rejected:
    'Not run: a person looked at this call and rejected it. Do not ask for it again in this turn; say what you could not do.',
  expired: 'Not run: nobody decided about this call in time. That is no rejection; say that it is still undone.',
  aborted: 'Not run to its end: the turn was stopped.',
  unavailable: 'Not run: this tool is not available any more.',
  outcome_unknown:
    'It is not known whether this call took effect: it was begun, and what became of it could not be found out. Do not repeat it; a person has been asked.',
};

const DETAILS = {
  limit: 'Not run: a limit of this turn was reached. Call no more tools; answer with what you have.',
  'too-many': 'Not run: one reply may ask for 64 calls at most.',
  'no-tools': 'Not run: no tools were offered in this round.',
  'rejected-before': 'Not run: a person rejected the same call in this turn. Do not ask for it again.',
  'not-applied': 'The tool was stopped before it took effect. Nothing was changed.',
  'applied-later': 'Done. The call took effect; its output was lost when it was interrupted.',
  'other-arguments': 'Not run: the arguments can not be read the way they were when this call was planned.',
  'check-failed': 'Not run: the check before this call failed.',
  'preview-failed': 'Not run: what this call would do could not be shown to the person who has to approve it.',
  'tool-failed': 'The tool failed with an error of its own.',
  'write-failed':
    'The tool failed with an error of its own. It may have taken effect in part; look before you repeat it.',
  'invalid-result': 'The tool ran, but what it returned can not be shown.',
} as const;

export type ResultDetail = keyof typeof DETAILS;

/** What the model reads about a call that ended in this status. Each says what is true, and what to do next. */
export function resultText(status: FixedStatus, detail?: ResultDetail): string {
  return detail === undefined ? TEXTS[status] : DETAILS[detail];
}

/** The same for what the status alone does not say. */
export function detailText(detail: ResultDetail): string {
  return DETAILS[detail];
}

/** What the model reads about arguments that break the schema. A violation reads `path: what is expected`. */
export function invalidText(violations: readonly string[]): string {
  return ['Not run: the arguments are not valid.', ...violations.map((violation) => `- ${violation}`)].join('\n');
}

/** What the system prompt of a round without tools ends with. */
export function finalInstruction(outcome: TurnOutcome): string {
  return [
    `This turn has reached a limit (${outcome}). No tools are offered any more.`,
    'Answer now with what you have, and say plainly what was not done.',
  ].join(' ');
}

/** What the model is told in a later turn about a write whose fate a person has settled. */
export function injectedAnswer(approval: ApprovalRecord): string {
  const taken = approval.decisions.find(({ outcome }) => outcome === 'taken');
  const call = `the call of ${approval.tool} in turn ${approval.turn} whose outcome was unknown`;
  switch (taken?.decision) {
    case 'applied':
      return `About ${call}: a person says that it took effect.`;
    case 'run_again':
      return `About ${call}: a person allows it to be run again. It has not been run again by itself; call the tool if it is still wanted.`;
    case 'abandon':
      return `About ${call}: a person gave it up. Do not repeat it.`;
    default:
      return `About ${call}: it is still not known whether it took effect. Nobody answered in time.`;
  }
}
