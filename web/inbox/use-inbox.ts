import { useEffect, useState } from 'preact/hooks';
import { Inbox, type InboxState } from './inbox';
import { shareApprovalStream } from './shared-stream';

const TIDY_EVERY_MS = 1_000;

/** The inbox of the page, and its state as it changes. */
export function useInbox(): { readonly inbox: Inbox; readonly state: InboxState } {
  const [inbox] = useState(() => new Inbox());
  const [state, setState] = useState(inbox.state);
  useEffect(() => {
    inbox.listen(setState);
    shareApprovalStream((event) => inbox.hear(event));
    const timer = setInterval(() => {
      // A row must not move away under the pointer, nor take the focus with it.
      if (document.querySelector('.list:hover, .row-closed:focus') === null) {
        inbox.tidy();
      }
    }, TIDY_EVERY_MS);
    return () => clearInterval(timer);
  }, [inbox]);
  return { inbox, state };
}
