import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { durationText, momentText, utcText } from '../../src/core/display/time-text';
import { ClockContext, useServerNow } from './use-server-now';

/** A moment in this device's time, with its offset; UTC on pointing at it. */
export function Moment({ iso }: { readonly iso: string }): VNode {
  const clock = useContext(ClockContext);
  return (
    <time dateTime={iso} title={utcText(iso)}>
      {momentText(iso, clock.nowMs())}
    </time>
  );
}

/** How long a question stays open: `expires in 3 h 12 min`, or `expired`. */
export function TimeLeft({ iso, isShort = false }: { readonly iso: string; readonly isShort?: boolean }): VNode {
  const leftMs = Date.parse(iso) - useServerNow();
  const text = leftMs <= 0 ? 'expired' : `${isShort ? '' : 'expires in '}${durationText(leftMs)}`;
  return (
    <time dateTime={iso} title={utcText(iso)} class={leftMs < 300_000 ? 'soon' : ''}>
      {text}
    </time>
  );
}
