import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { ServerClock } from './server-clock';

export const ClockContext = createContext(new ServerClock());

const SECOND_MS = 1000;
/** The longest time a browser's timer can wait. */
const MAX_WAIT_MS = 2_147_483_647;

/** The server's time, new every second. */
export function useServerNow(): number {
  const clock = useContext(ClockContext);
  const [nowMs, setNowMs] = useState(clock.nowMs());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(clock.nowMs()), SECOND_MS);
    return () => clearInterval(timer);
  }, [clock]);
  return nowMs;
}

/** True from the moment on, by the server's time. */
export function useHasPassed(iso: string): boolean {
  const clock = useContext(ClockContext);
  const [hasPassed, setHasPassed] = useState(clock.nowMs() >= Date.parse(iso));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const leftMs = Date.parse(iso) - clock.nowMs();
      setHasPassed(leftMs <= 0);
      if (leftMs > 0) {
        timer = setTimeout(look, Math.min(leftMs, MAX_WAIT_MS));
      }
    };
    look();
    return () => clearTimeout(timer);
  }, [clock, iso]);
  return hasPassed;
}
