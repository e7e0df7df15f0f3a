import { useEffect, useRef } from 'preact/hooks';
import { type ShortcutName, shortcutOf } from './shortcuts';

/** Calls `act` with each shortcut that is pressed. */
export function useShortcuts(areKeysOn: boolean, act: (name: ShortcutName) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const name = shortcutOf(event, areKeysOn);
      if (name !== undefined) {
        event.preventDefault();
        latest.current(name);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [areKeysOn]);
}
