import type { VNode } from 'preact';
import type { DecisionRecord, Provenance } from '../../src/core/approvals';
import { type KnownApproval, takenDecision } from '../inbox/known-approval';
import { statusWord } from '../inbox/outcome-text';
import { Foreign } from '../text/foreign';
import { PagedText } from '../text/paged-text';
import { Moment } from '../time/moment';

/** What became of a question, with who decided, when and why. */
export function ResultView({ approval }: { readonly approval: KnownApproval }): VNode {
  const taken = takenDecision(approval);
  switch (approval.status) {
    case 'expired':
      return (
        <p>
          Expired at <Moment iso={approval.expiresAt} />. Nothing will run.
        </p>
      );
    case 'cancelled':
      return <p>The turn was cancelled. Nothing will run.</p>;
    case 'superseded':
      return <p>This proposal was replaced, because what it was about has changed.</p>;
    default:
      return (
        <p>
          {sentenceCase(statusWord(approval))}
          {taken !== undefined && <Who decision={taken} />}
          {taken?.comment === undefined ? '.' : ': '}
          {taken?.comment !== undefined && <Foreign text={taken.comment} />}
        </p>
      );
  }
}

/** Every answer that was given, oldest first. */
export function DecisionList({ decisions }: { readonly decisions: readonly DecisionRecord[] }): VNode {
  return (
    <ul class="decisions">
      {decisions.map((decision) => (
        <li key={decision.decisionId}>
          {sentenceCase(decision.decision.replace('_', ' '))}
          <Who decision={decision} />
          {`: ${decision.outcome.replaceAll('_', ' ')}`}
          {decision.comment !== undefined && <PagedText text={decision.comment} />}
        </li>
      ))}
    </ul>
  );
}

const CLAIMED: Readonly<Record<Provenance, string>> = {
  authenticated: '',
  delegated: ' (through a service)',
  link: ' (by a link)',
  request: ' (claimed in a plain signal)',
  system: '',
};

function Who({ decision }: { readonly decision: DecisionRecord }): VNode {
  return (
    <>
      {' by '}
      <Foreign text={decision.principal} />
      {CLAIMED[decision.provenance]}
      {' at '}
      <Moment iso={decision.decidedAt ?? decision.at} />
    </>
  );
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
