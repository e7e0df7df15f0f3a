import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { JsonValue } from '../../src/core/json';
import type { KnownApproval } from '../inbox/known-approval';
import { Foreign } from '../text/foreign';
import { countText, sizeText } from '../text/size-text';
import { membersOf } from '../values/json-size';
import { useSteady } from './use-steady';

export interface ConfirmDialogProps {
  readonly approval: KnownApproval;
  /** `Approve` or `Run again`. */
  readonly verb: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks again before a call of high risk runs. Cancel has the focus, and Escape cancels. */
export function ConfirmDialog({ approval, verb, onConfirm, onCancel }: ConfirmDialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const isSteady = useSteady(`confirm ${approval.approvalId}`);
  useEffect(() => {
    dialog.current?.showModal();
    cancel.current?.focus();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" onClose={onCancel}>
      <h2 id="confirm-title">
        {verb} <Foreign text={approval.tool} />?
      </h2>
      <p>
        It will run once with exactly these arguments: <ShortArguments value={approval.arguments} />. This can't be
        undone from here.
      </p>
      <div class="buttons">
        <button type="button" ref={cancel} onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="approve" aria-disabled={!isSteady} onClick={() => isSteady && onConfirm()}>
          {verb} <Foreign text={approval.tool} />
        </button>
      </div>
    </dialog>
  );
}

const MAX_CHARACTERS = 400;
const MAX_MEMBERS = 20;

/** Every argument with its value; what is too long for a dialog with its size, since the page behind shows it whole. */
function ShortArguments({ value }: { readonly value: JsonValue }): VNode {
  const members = membersOf(value);
  return (
    <>
      {members.slice(0, MAX_MEMBERS).map(([name, member], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Foreign text={name} /> <ShortValue value={member} />
        </span>
      ))}
      {members.length > MAX_MEMBERS && ` and ${members.length - MAX_MEMBERS} more, shown behind this dialog`}
    </>
  );
}

function ShortValue({ value }: { readonly value: JsonValue }): VNode {
  if (value !== null && typeof value === 'object') {
    return <>({countText(membersOf(value).length, 'value')}, shown behind this dialog)</>;
  }
  if (typeof value === 'string' && value.length > MAX_CHARACTERS) {
    return <>({sizeText(value)}, shown behind this dialog)</>;
  }
  return (
    <b>
      <Foreign text={JSON.stringify(value)} />
    </b>
  );
}
