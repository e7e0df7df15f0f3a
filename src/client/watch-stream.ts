import { SECOND_MS } from '../core/durations';
import { errorCodeOf, isHoldpointError } from '../core/errors';
import { type HttpTransport, pause } from './http-transport';
import { readEventStream } from './read-event-stream';

/** One event of a stream; `Events` maps event names to their data. */
export type StreamEvent<Events> = {
  readonly [Name in keyof Events]: { readonly type: Name; readonly data: Events[Name] };
}[keyof Events];

export interface WatchRequest {
  readonly path: string;
  /** Where to go on: the id of the last event that was seen. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal | undefined;
  /** Names of the events to hand on; a newer gateway may know more. */
  readonly names: readonly string[];
}

/** Three heartbeats of the gateway. */
const SILENCE_MS = 45 * SECOND_MS;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10 * SECOND_MS;

/**
 * Follows a stream of the gateway over every cut: it connects again with the id of the last event, for as long as the
 * gateway can't be reached, is closing, or serves as many streams as it may. Ends only when the reader leaves or the
 * signal fires; throws the signal's reason then, and the HoldpointError of a refusal that a repeat would not change.
 */
export async function* watchStream<Events>(
  transport: HttpTransport,
  request: WatchRequest,
): AsyncGenerator<StreamEvent<Events>, never, undefined> {
  let { lastEventId } = request;
  for (let cuts = 0; ; cuts += 1) {
    try {
      for await (const event of readEventStream(await openStream(transport, request, lastEventId), SILENCE_MS)) {
        cuts = 0;
        lastEventId = event.id ?? lastEventId;
        if (event.event !== undefined && request.names.includes(event.event)) {
          yield { type: event.event, data: JSON.parse(event.data) } as StreamEvent<Events>;
        }
      }
    } catch (error) {
      request.signal?.throwIfAborted();
      if (isHoldpointError(error) && !isPassing(error)) {
        throw error;
      }
    }
    await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(cuts, 10)), request.signal);
  }
}

function openStream(
  transport: HttpTransport,
  request: WatchRequest,
  lastEventId: string | undefined,
): Promise<Response> {
  return transport.open({
    method: 'GET',
    path: request.path,
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    signal: request.signal,
  });
}

function isPassing(error: unknown): boolean {
  return ['gateway_unreachable', 'too_many_streams', 'store_unavailable', 'internal'].includes(errorCodeOf(error));
}
