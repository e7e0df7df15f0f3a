import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { readDraft, writeDraft } from '../inbox/draft';

export interface RejectFormProps {
  readonly approvalId: string;
  /** True when a rejection without a reason is not taken. */
  readonly needsReason: boolean;
  /** Undefined when it can be sent. */
  readonly disabledReason: string | undefined;
  readonly onReject: (comment: string) => void;
  readonly onClose: () => void;
}

/** Takes the reason of a rejection. What is written is kept until it is sent, also when the form is closed. */
export function RejectForm({ approvalId, needsReason, disabledReason, onReject, onClose }: RejectFormProps): VNode {
  const [text, setText] = useState(() => readDraft(approvalId));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const missing = needsReason && text.trim() === '' ? 'A reason is needed: the risk is high.' : undefined;
  const stop = disabledReason ?? missing;
  const submit = () => {
    if (stop === undefined) {
      onReject(text.trim() === '' ? '' : text);
    }
  };
  return (
    <form
      class="reject-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label for="reason">Reason (sent to the agent)</label>
      <textarea
        id="reason"
        ref={field}
        rows={3}
        maxLength={10_000}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          writeDraft(approvalId, currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing && !event.repeat) {
            submit();
          }
        }}
      />
      <div class="buttons">
        <button type="submit" class="reject" aria-disabled={stop !== undefined} aria-describedby="reject-why">
          Reject
        </button>
        <button type="button" onClick={onClose}>
          Back
        </button>
        <span id="reject-why" class="why">
          {stop}
        </span>
      </div>
    </form>
  );
}
