import { useEffect, useState } from 'preact/hooks';
import type { Inbox } from './inbox';

/** The question that the address names (`#approval=…`); opens it in the inbox whenever the address changes. */
export function useOpenedId(inbox: Inbox): string | undefined {
  const [openedId, setOpenedId] = useState(idInAddress);
  useEffect(() => {
    const follow = () => {
      setOpenedId(idInAddress());
      void inbox.open(idInAddress());
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [inbox]);
  return openedId;
}

function idInAddress(): string | undefined {
  return /^#approval=([A-Za-z0-9][A-Za-z0-9_-]{0,99})$/.exec(window.location.hash)?.[1];
}
