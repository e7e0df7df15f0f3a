import type { BarKeys } from '../approval/decision-bar';
import { lastMove } from '../approval/use-steady';
import type { Inbox } from '../inbox/inbox';
import type { ShortcutName } from './shortcuts';

/** Does what a shortcut says. */
export function actOn(name: ShortcutName, inbox: Inbox, bar: BarKeys | undefined, help: () => void): void {
  switch (name) {
    case 'next':
      move(1, inbox);
      return;
    case 'previous':
      move(-1, inbox);
      return;
    case 'approve':
      bar?.approve();
      return;
    case 'reject':
      bar?.reject();
      return;
    case 'back':
      goBack(bar);
      return;
    case 'difference':
      focusOn('preview-title');
      return;
    case 'copy':
      document.getElementById('copy-arguments')?.click();
      return;
    case 'help':
      help();
      return;
    case 'open':
      return;
  }
}

/** To the next or previous row. Rows that were answered leave with it. */
function move(by: 1 | -1, inbox: Inbox): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.row')];
  const focused = links.indexOf(document.activeElement as HTMLAnchorElement);
  const place = focused === -1 ? links.findIndex((link) => link.ariaCurrent === 'true') : focused;
  const link = place === -1 ? links[0] : links[place + by];
  if (link === undefined) {
    return;
  }
  lastMove.atMs = performance.now();
  link.focus();
  link.scrollIntoView({ block: 'nearest' });
  // With one column, a row is opened by Enter while the list is on the screen; beside the list it opens at once.
  if (link.checkVisibility() && !isListBesideDetail()) {
    return;
  }
  window.location.hash = link.hash;
  inbox.tidy(0);
}

function isListBesideDetail(): boolean {
  return window.matchMedia('(min-width: 60rem)').matches;
}

/** Closes what is open in the bar; else leaves the question for the list. */
function goBack(bar: BarKeys | undefined): void {
  if (bar?.back() === true) {
    focusOn('detail-title');
    return;
  }
  const opened = document.querySelector<HTMLElement>('.row[aria-current]');
  window.location.hash = '#inbox';
  opened?.focus();
}

function focusOn(id: string): void {
  document.getElementById(id)?.focus();
}
