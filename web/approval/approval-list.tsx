import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { InboxRow } from '../inbox/inbox-rows';
import { takenDecision } from '../inbox/known-approval';
import { statusWord } from '../inbox/outcome-text';
import { Foreign } from '../text/foreign';
import { TimeLeft } from '../time/moment';

const ROWS_AT_ONCE = 200;

export interface ApprovalListProps {
  readonly rows: readonly InboxRow[];
  readonly openedId: string | undefined;
}

/** The questions, each a link to itself. */
export function ApprovalList({ rows, openedId }: ApprovalListProps): VNode {
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  return (
    <>
      <ul class="rows">
        {rows.slice(0, limit).map((row) => (
          <li key={row.approval.approvalId}>
            <Row row={row} isOpened={row.approval.approvalId === openedId} />
          </li>
        ))}
      </ul>
      {rows.length > limit && (
        <button type="button" class="more" onClick={() => setLimit(limit + ROWS_AT_ONCE)}>
          Show {Math.min(ROWS_AT_ONCE, rows.length - limit)} more of {rows.length}
        </button>
      )}
    </>
  );
}

/** Once it is answered, the result takes the place of the time; nothing else moves, so that no row jumps under a pointer. */
function Row({ row: { approval }, isOpened }: { readonly row: InboxRow; readonly isOpened: boolean }): VNode {
  const isOpen = approval.status === 'pending';
  return (
    <a
      href={`#approval=${approval.approvalId}`}
      class={isOpen ? 'row' : 'row row-closed'}
      aria-current={isOpened ? 'true' : undefined}
      data-approval={approval.approvalId}
    >
      <span class="row-head">
        <strong>
          <Foreign text={approval.tool} />
        </strong>
        <span class={`risk risk-${approval.risk}`}>{approval.risk}</span>
        {isOpen ? <TimeLeft iso={approval.expiresAt} isShort /> : <Result approval={approval} />}
      </span>
      <span class="row-text">
        <Foreign text={approval.summary} />
      </span>
      <span class="row-text row-session">
        {approval.kind === 'outcome' && 'did it run? · '}
        <Foreign text={approval.sessionId} />
      </span>
    </a>
  );
}

function Result({ approval }: { readonly approval: InboxRow['approval'] }): VNode {
  const winner = takenDecision(approval);
  return (
    <span class="row-result">
      {statusWord(approval)}
      {winner !== undefined && (
        <>
          {' by '}
          <Foreign text={winner.principal} />
        </>
      )}
    </span>
  );
}
