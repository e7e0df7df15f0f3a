import type { VNode } from 'preact';
import { durationText } from '../src/core/display/time-text';
import type { InboxState } from './inbox/inbox';
import type { ServerClock } from './time/server-clock';

export interface NoticesProps {
  readonly state: InboxState;
  readonly clock: ServerClock;
  readonly onRetry: () => void;
}

/** What a person has to know about the page itself before they trust it. */
export function Notices({ state, clock, onRetry }: NoticesProps): VNode {
  const skewMs = state.connection === 'live' ? clock.skewMs() : 0;
  return (
    <div class="notices">
      {state.connection === 'lost' && (
        <p class="notice">
          Connection lost at {state.lostAt}. What you see may be old. Decisions are off until it is back.
        </p>
      )}
      {state.listFault !== undefined && (
        <p class="notice">
          {state.listFault}{' '}
          <button type="button" class="quiet" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
      {skewMs !== 0 && (
        <p class="notice">
          This device's clock is {durationText(Math.abs(skewMs))} {skewMs < 0 ? 'slow' : 'fast'}; times follow the
          server.
        </p>
      )}
    </div>
  );
}
