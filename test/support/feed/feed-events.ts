import type { SessionId, SessionKey, Tenant } from '../../../src/core/ids';
import type { FeedEvent } from '../../../src/core/ports/feed';

/** The session the events below are of. */
export const FEED_KEY: SessionKey = { tenant: 'acme' as Tenant, sessionId: 's1' as SessionId };

/** What places an event somewhere else. */
interface Place {
  readonly key?: SessionKey;
  readonly turn?: number;
  readonly round?: number;
  readonly attempt?: number;
}

export function committed(key: SessionKey = FEED_KEY): FeedEvent {
  return { ...key, type: 'committed' };
}

/** A fragment of text, of the first attempt of turn 1, round 1 unless said otherwise. */
export function textChunk(index: number, text: string, { key = FEED_KEY, ...place }: Place = {}): FeedEvent {
  const chunk = { type: 'text-delta', index: 0, text } as const;
  return { ...key, type: 'chunk', turn: 1, round: 1, attempt: 1, ...place, index, chunk };
}

/** A model call that begins, or still runs. */
export function modelBegins({ key = FEED_KEY, turn = 1, round = 1 }: Place = {}): FeedEvent {
  const status = { turn, round, maxRounds: 5, tool: null, text: 'Asking the model' };
  return { ...key, type: 'step', step: `t${turn}.r${round}`, status };
}

export function stepEnds(step = 't1.r1', key: SessionKey = FEED_KEY): FeedEvent {
  return { ...key, type: 'step', step, status: undefined };
}

/** A tool call that begins, or still runs. */
export function toolBegins(callId: string): FeedEvent {
  const status = { turn: 1, round: 1, maxRounds: 5, tool: 'look', text: 'Running look' };
  return { ...FEED_KEY, type: 'step', step: callId, status };
}
