/** What single keys do, and what is said about them. */
export const SHORTCUTS = [
  { key: 'j', name: 'next', text: 'Next question' },
  { key: 'k', name: 'previous', text: 'Previous question' },
  { key: 'Enter', name: 'open', text: 'Open the question that has the focus' },
  { key: 'Escape', name: 'back', text: 'Back or close; never decides' },
  { key: 'a', name: 'approve', text: 'Approve' },
  { key: 'r', name: 'reject', text: 'Reject, with a reason' },
  { key: 'd', name: 'difference', text: 'Go to what it would do' },
  { key: 'c', name: 'copy', text: 'Copy the arguments' },
  { key: '?', name: 'help', text: 'This list' },
] as const;

export type ShortcutName = (typeof SHORTCUTS)[number]['name'];

/** These must come from a fresh press, with the focus in the list or the question. */
const DECIDING: readonly ShortcutName[] = ['approve', 'reject'];
/** These work also when single keys are switched off: they are no characters. */
const ALWAYS: readonly ShortcutName[] = ['back'];

/** Which shortcut a key press is; undefined when it is meant for a field, a dialog or the browser. */
export function shortcutOf(event: KeyboardEvent, isOn: boolean): ShortcutName | undefined {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) {
    return undefined;
  }
  const name = SHORTCUTS.find(({ key }) => key === event.key)?.name;
  // The browser opens the link that has the focus by itself.
  if (name === undefined || name === 'open' || document.querySelector('dialog[open]') !== null) {
    return undefined;
  }
  if (ALWAYS.includes(name)) {
    return name;
  }
  if (!isOn || isField(event.target)) {
    return undefined;
  }
  return DECIDING.includes(name) && (event.repeat || !isInScope(document.activeElement)) ? undefined : name;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

function isInScope(focused: Element | null): boolean {
  return focused?.closest('[data-scope]') != null;
}
