import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countHidden } from '../../src/core/display/visible-text';
import type { KnownApproval } from '../inbox/known-approval';
import { FoldContext, type FoldCount } from '../text/fold-count';
import { Foreign } from '../text/foreign';
import { PagedText } from '../text/paged-text';
import { Moment, TimeLeft } from '../time/moment';
import { countHiddenIn } from '../values/count-hidden-in';
import { ArgumentsView } from '../values/value-view';
import { PreviewView } from './preview-view';
import { DecisionList } from './result-view';

export interface ApprovalDetailProps {
  readonly approval: KnownApproval;
  /** Undefined while it is not known. */
  readonly agent: string | undefined;
  readonly folds: FoldCount;
}

/** One question with everything a decision rests on. */
export function ApprovalDetail({ approval, agent, folds }: ApprovalDetailProps): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A person who came by a link, or whose place is gone from the screen, goes on here. Nobody's focus is taken away.
    if (document.activeElement === document.body) {
      heading.current?.focus();
    }
  }, []);
  return (
    <FoldContext.Provider value={folds}>
      <article class="detail">
        <header class="detail-head">
          <h1 id="detail-title" ref={heading} tabIndex={-1}>
            <Foreign text={approval.tool} />
          </h1>
          <span class={`risk risk-${approval.risk}`}>{approval.risk} risk</span>
          {approval.status === 'pending' && <TimeLeft iso={approval.expiresAt} />}
        </header>
        <p class="asked">
          {agent !== undefined && (
            <>
              asked by <Foreign text={agent} />,{' '}
            </>
          )}
          session <Foreign text={approval.sessionId} />, turn {approval.turn}, <Moment iso={approval.requestedAt} />
        </p>
        <p class="summary">
          <Foreign text={approval.summary} /> <span class="origin">(from the model's words)</span>
        </p>
        <HiddenBanner approval={approval} />
        {approval.preview !== undefined && (
          <section aria-labelledby="preview-title">
            <h2 id="preview-title" tabIndex={-1}>
              What it would do
            </h2>
            <PreviewView preview={approval.preview} />
          </section>
        )}
        <ArgumentsSection approval={approval} />
        {(approval.decisions ?? []).length > 0 && (
          <section aria-labelledby="decisions-title">
            <h2 id="decisions-title">Decisions</h2>
            <DecisionList decisions={approval.decisions ?? []} />
          </section>
        )}
        <Facts approval={approval} />
      </article>
    </FoldContext.Provider>
  );
}

function ArgumentsSection({ approval }: { readonly approval: KnownApproval }): VNode {
  const [isJson, setJson] = useState(false);
  const [copied, setCopied] = useState('');
  const copy = async () => {
    const isDone = await copyText(JSON.stringify(approval.arguments, null, 2));
    setCopied(isDone ? 'Copied' : 'Not copied: the browser did not allow it');
  };
  const table = useMemo(() => <ArgumentsView value={approval.arguments} />, [approval.arguments]);
  return (
    <section aria-labelledby="arguments-title">
      <div class="section-head">
        <h2 id="arguments-title">Arguments</h2>
        <button type="button" class="quiet" aria-pressed={!isJson} onClick={() => setJson(false)}>
          Table
        </button>
        <button type="button" class="quiet" aria-pressed={isJson} onClick={() => setJson(true)}>
          JSON
        </button>
        <button type="button" class="quiet" id="copy-arguments" onClick={() => void copy()}>
          Copy
        </button>
        <span role="status" class="why">
          {copied}
        </span>
      </div>
      {/* Hidden, not taken away: what was opened in the table stays open. */}
      <div hidden={isJson}>{table}</div>
      {isJson && <JsonView approval={approval} />}
    </section>
  );
}

function JsonView({ approval }: { readonly approval: KnownApproval }): VNode {
  const text = useMemo(() => JSON.stringify(approval.arguments, null, 2), [approval.arguments]);
  return (
    <div class="text-block">
      <PagedText text={text} folded={{ characters: 20_000, lines: 60 }} />
    </div>
  );
}

function HiddenBanner({ approval }: { readonly approval: KnownApproval }): VNode | null {
  const { arguments: value, preview, summary } = approval;
  const count = useMemo(
    () => countHiddenIn(value) + countHidden(preview ?? '') + countHidden(summary),
    [value, preview, summary],
  );
  if (count === 0) {
    return null;
  }
  return (
    <p class="banner">
      {count === 1 ? '1 invisible character is shown as a mark.' : `${count} invisible characters are shown as marks.`}
    </p>
  );
}

function Facts({ approval }: { readonly approval: KnownApproval }): VNode {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Why asked', `${approval.reason} (policy ${approval.policyVersion ?? '…'})`],
    ['Question', `${approval.approvalId}, asked ${approval.ask ?? 1} of this call ${approval.callId}`],
    ['Arguments digest', approval.argumentsDigest],
    ['Tool digest', approval.toolDigest],
    ['Relies on', approval.precondition],
    ['Approvers needed', approval.approversNeeded === undefined ? undefined : String(approval.approversNeeded)],
  ];
  return (
    <details class="facts">
      <summary>Details</summary>
      <dl class="members">
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name} class="member">
                <dt>{name}</dt>
                <dd>
                  <Foreign text={value} />
                </dd>
              </div>
            ),
        )}
      </dl>
    </details>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
