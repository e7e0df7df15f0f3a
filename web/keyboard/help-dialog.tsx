import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { SHORTCUTS } from './shortcuts';

export interface HelpDialogProps {
  readonly areKeysOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly onClose: () => void;
}

/** What the keys do, with the switch that turns single keys off. */
export function HelpDialog({ areKeysOn, onSwitch, onClose }: HelpDialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <dl class="members">
        {SHORTCUTS.map(({ key, text }) => (
          <div key={key} class="member">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div class="member">
          <dt>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>Send the reason that is being written</dd>
        </div>
      </dl>
      <label class="switch">
        <input type="checkbox" checked={areKeysOn} onChange={({ currentTarget }) => onSwitch(currentTarget.checked)} />
        Single-key shortcuts
      </label>
      <div class="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
