import { useEffect, useState } from 'preact/hooks';

const STEADY_MS = 600;
/** A person who moved here by a key of their own has looked. */
const MOVED_MS = 200;

/** Set by the keys that move through the list. */
export const lastMove = { atMs: Number.NEGATIVE_INFINITY };

/**
 * False until what is shown has been on the screen and unchanged for a moment in a window that has the focus. Until
 * then nothing decides: neither a key or click that was meant for something else, nor a page of another site that puts
 * this one under a person's double click.
 */
export function useSteady(shown: string): boolean {
  const [steady, setSteady] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const start = (durationMs: number) => {
      clearTimeout(timer);
      setSteady('');
      timer = setTimeout(() => setSteady(shown), durationMs);
    };
    const restart = () => start(STEADY_MS);
    start(performance.now() - lastMove.atMs < MOVED_MS ? MOVED_MS : STEADY_MS);
    window.addEventListener('focus', restart);
    document.addEventListener('visibilitychange', restart);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', restart);
      document.removeEventListener('visibilitychange', restart);
    };
  }, [shown]);
  return steady === shown;
}
