import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DecisionWord } from '../../src/core/approvals';
import type { BarState, Inbox, InboxState } from '../inbox/inbox';
import type { KnownApproval } from '../inbox/known-approval';
import { Moment } from '../time/moment';
import { useHasPassed } from '../time/use-server-now';
import { ConfirmDialog } from './confirm-dialog';
import { RejectForm } from './reject-form';
import { ResultView } from './result-view';
import { useSteady } from './use-steady';

export interface DecisionBarProps {
  readonly inbox: Inbox;
  readonly state: InboxState;
  readonly approval: KnownApproval;
  /** The question that took the place of this one. */
  readonly replacement: KnownApproval | undefined;
  /** Values on the screen that were not opened yet. */
  readonly folded: number;
  /** Holds how to press the buttons by key, while there are any. */
  readonly keys: { current: BarKeys | undefined };
}

/** What keys do in the bar that is on the screen. */
export interface BarKeys {
  readonly approve: () => void;
  readonly reject: () => void;
  /** True when it closed something. */
  readonly back: () => boolean;
}

/** The last row of the page: the buttons while a question is open, what became of it afterwards. */
export function DecisionBar(props: DecisionBarProps): VNode {
  const { approval, state, replacement } = props;
  const isOpen = approval.status === 'pending';
  const hasExpired = useHasPassed(approval.expiresAt);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // The button that had the focus is gone; the next key must not land at the top of the page.
    if (!isOpen && document.activeElement === document.body) {
      bar.current?.focus();
    }
  }, [isOpen]);
  const own = state.bars[approval.approvalId];
  const isTextOfNow = own?.status === undefined || own.status === approval.status;
  return (
    <section class="bar" ref={bar} tabIndex={-1} aria-label="Decision">
      {own?.text !== undefined && isTextOfNow && <p class="told">{own.text}</p>}
      {!isOpen && <ResultView approval={approval} />}
      {!isOpen && own?.step !== 'answered' && <p>You can no longer decide this.</p>}
      {replacement !== undefined && <a href={`#approval=${replacement.approvalId}`}>Show the new one</a>}
      {isOpen && hasExpired && (
        <p>
          Expired at <Moment iso={approval.expiresAt} />. Nothing will run.
        </p>
      )}
      {isOpen && !hasExpired && <OpenBar {...props} own={own} />}
    </section>
  );
}

const HURRY = 'It has only just come into view. Look, then press again.';

/** The words of a question, the one that gives leave first. */
const BUTTONS = {
  call: [
    { word: 'approve', label: 'Approve', look: 'approve' },
    { word: 'reject', label: 'Reject', look: 'reject' },
  ],
  outcome: [
    { word: 'applied', label: 'It was applied', look: '' },
    { word: 'run_again', label: 'Run again', look: '' },
    { word: 'abandon', label: 'Abandon', look: 'reject' },
  ],
} as const;

function OpenBar(props: DecisionBarProps & { readonly own: BarState | undefined }): VNode {
  const { inbox, approval, own, folded, keys } = props;
  const [step, setStep] = useState<'buttons' | 'reject' | 'approve' | 'run_again'>('buttons');
  const [hint, setHint] = useState('');
  const isSteady = useSteady(approval.approvalId);
  const stop = stopReason(props);
  const isHigh = approval.risk === 'high';

  const send = (word: DecisionWord, comment = '') => {
    setStep('buttons');
    void inbox.decide(approval, word, comment);
  };
  const press = (word: DecisionWord) => {
    if (stop !== undefined) {
      return;
    }
    if (!isSteady) {
      setHint(HURRY);
      return;
    }
    setHint('');
    if (word === 'reject') {
      setStep('reject');
    } else if (isHigh && (word === 'approve' || word === 'run_again')) {
      setStep(word);
    } else {
      send(word);
    }
  };
  useLayoutEffect(() => {
    const canPress = approval.kind === 'call' && step === 'buttons' && isSteady;
    keys.current = {
      approve: () => canPress && press('approve'),
      reject: () => canPress && press('reject'),
      back: () => {
        setStep('buttons');
        return step !== 'buttons';
      },
    };
    // A key must never press a button that is gone.
    return () => {
      keys.current = undefined;
    };
  });

  if (step === 'reject') {
    return (
      <RejectForm
        approvalId={approval.approvalId}
        needsReason={isHigh}
        disabledReason={stop}
        onReject={(comment) => send('reject', comment)}
        onClose={() => setStep('buttons')}
      />
    );
  }
  return (
    <>
      {approval.kind === 'outcome' && <p>Nobody knows whether this ran. It was started and gave no result.</p>}
      <div class="buttons decide">
        {BUTTONS[approval.kind].map(({ word, label, look }) => (
          <button
            key={word}
            type="button"
            class={look}
            aria-disabled={stop !== undefined || !isSteady}
            data-stopped={stop !== undefined}
            aria-describedby="bar-why"
            onClick={() => press(word)}
          >
            {own?.step === 'sending' && own.word === word ? 'Sending…' : label}
          </button>
        ))}
        <span id="bar-why" class="why">
          {stop ?? hint ?? ''}
          {stop === undefined && hint === '' && isHigh && folded > 0 && foldedText(folded)}
        </span>
      </div>
      {(step === 'approve' || step === 'run_again') && (
        <ConfirmDialog
          approval={approval}
          verb={step === 'approve' ? 'Approve' : 'Run again'}
          onConfirm={() => send(step)}
          onCancel={() => setStep('buttons')}
        />
      )}
    </>
  );
}

/** Why nothing can be sent at this moment; undefined when something can. */
function stopReason({ state, own }: DecisionBarProps & { readonly own: BarState | undefined }): string | undefined {
  if (own?.step === 'sending') {
    return '';
  }
  if (own?.isStored === true) {
    return 'Your decision waits for a worker.';
  }
  return state.connection === 'lost' ? 'Decisions are off until the connection is back.' : undefined;
}

function foldedText(folded: number): string {
  return folded === 1 ? '1 value is folded' : `${folded} values are folded`;
}
