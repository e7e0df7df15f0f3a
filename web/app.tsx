import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApprovalDetail } from './approval/approval-detail';
import { ApprovalList } from './approval/approval-list';
import { type BarKeys, DecisionBar } from './approval/decision-bar';
import type { InboxState } from './inbox/inbox';
import type { KnownApproval } from './inbox/known-approval';
import { useInbox } from './inbox/use-inbox';
import { useOpenedId } from './inbox/use-opened-id';
import { actOn } from './keyboard/act-on';
import { HelpDialog } from './keyboard/help-dialog';
import { readKeyPreference, writeKeyPreference } from './keyboard/key-preference';
import { useShortcuts } from './keyboard/use-shortcuts';
import { Notices } from './notices';
import { type FoldCount, useFoldCount } from './text/fold-count';
import { ClockContext } from './time/use-server-now';

/** The whole page: the inbox, and the question that is open. */
export function App(): VNode {
  const { inbox, state } = useInbox();
  const openedId = useOpenedId(inbox);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [areKeysOn, setKeysOn] = useState(readKeyPreference);
  const keys = useRef<BarKeys | undefined>(undefined);
  const { folds, folded } = useFoldCount(openedId ?? '');
  useShortcuts(areKeysOn, (name) => actOn(name, inbox, keys.current, () => setHelpOpen(true)));
  const opened = state.opened?.approvalId === openedId ? state.opened : undefined;
  return (
    <ClockContext.Provider value={inbox.clock}>
      <div class="app" data-view={openedId === undefined ? 'list' : 'detail'}>
        <TopBar state={state} onHelp={() => setHelpOpen(true)} />
        <Notices state={state} clock={inbox.clock} onRetry={() => void inbox.catchUp()} />
        <nav class="list" aria-label="Pending approvals" aria-busy={!state.isLoaded} data-scope>
          <ListContent state={state} openedId={openedId} />
        </nav>
        <main class="content" data-scope>
          {openedId !== undefined && (
            <a href="#inbox" class="back">
              ‹ Inbox
            </a>
          )}
          <DetailContent state={state} opened={opened} isChosen={openedId !== undefined} folds={folds} />
        </main>
        {opened !== undefined && (
          <div class="bar-place" data-scope>
            <DecisionBar
              key={opened.approvalId}
              inbox={inbox}
              state={state}
              approval={opened}
              replacement={replacementOf(opened, state)}
              folded={folded}
              keys={keys}
            />
          </div>
        )}
        <p class="unseen" role="status">
          {state.announcement}
        </p>
        {isHelpOpen && (
          <HelpDialog
            areKeysOn={areKeysOn}
            onSwitch={(isOn) => {
              writeKeyPreference(isOn);
              setKeysOn(isOn);
            }}
            onClose={() => setHelpOpen(false)}
          />
        )}
      </div>
    </ClockContext.Provider>
  );
}

function TopBar({ state, onHelp }: { readonly state: InboxState; readonly onHelp: () => void }): VNode {
  const pending = state.rows.filter(({ approval }) => approval.status === 'pending').length;
  useEffect(() => {
    document.title = pending === 0 ? 'Inbox · holdpoint' : `(${pending}) Inbox · holdpoint`;
  }, [pending]);
  return (
    <header class="top">
      <a href="#inbox" class="brand">
        holdpoint
      </a>
      <span class="top-count">
        Inbox <b>{pending}</b>
      </span>
      <span class={`connection connection-${state.connection}`}>{state.connection}</span>
      <button type="button" class="quiet" aria-label="Keys" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

function ListContent({
  state,
  openedId,
}: {
  readonly state: InboxState;
  readonly openedId: string | undefined;
}): VNode {
  if (!state.isLoaded) {
    return <p class="empty">Loading…</p>;
  }
  return state.rows.length === 0 ? (
    <p class="empty">Nothing waits for you.</p>
  ) : (
    <ApprovalList rows={state.rows} openedId={openedId} />
  );
}

interface DetailContentProps {
  readonly state: InboxState;
  readonly opened: KnownApproval | undefined;
  readonly isChosen: boolean;
  readonly folds: FoldCount;
}

function DetailContent({ state, opened, isChosen, folds }: DetailContentProps): VNode {
  if (opened !== undefined) {
    return (
      <ApprovalDetail key={opened.approvalId} approval={opened} agent={state.agents[opened.sessionId]} folds={folds} />
    );
  }
  if (state.openFault !== undefined) {
    return <p class="empty">This question could not be loaded ({state.openFault}).</p>;
  }
  return <p class="empty">{isChosen ? 'Loading…' : 'Choose a question to see exactly what would run.'}</p>;
}

/** A question about the same call that came after one that was replaced. */
function replacementOf(opened: KnownApproval, state: InboxState): KnownApproval | undefined {
  if (opened.status !== 'superseded') {
    return undefined;
  }
  return state.rows
    .map(({ approval }) => approval)
    .find(
      ({ status, sessionId, callId, approvalId }) =>
        status === 'pending' &&
        sessionId === opened.sessionId &&
        callId === opened.callId &&
        approvalId !== opened.approvalId,
    );
}
