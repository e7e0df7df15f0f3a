import { HoldpointError } from '../core/errors';
import type { StreamHeartbeat } from '../core/http-answers';
import { EventStream } from './event-stream';
import type { GatewayContext } from './gateway-context';
import { timeNow } from './time-now';

type WithHeartbeat = { readonly heartbeat: StreamHeartbeat };

/** All streams a gateway serves at the moment: it counts them, lets them beat, and ends them when the gateway closes. */
export class OpenStreams {
  readonly #context: GatewayContext;
  readonly #open = new Set<EventStream<WithHeartbeat>>();

  constructor(context: GatewayContext) {
    this.#context = context;
    context.closing.addEventListener('abort', () => this.#endAll(), { once: true });
  }

  /** A new stream, which counts until it is over. Throws HoldpointError `too_many_streams`. */
  open<Events extends WithHeartbeat>(): EventStream<Events> {
    const { streams, closing } = this.#context;
    if (this.#open.size >= streams.maxStreams) {
      throw new HoldpointError('too_many_streams', `This gateway serves at most ${streams.maxStreams} streams.`);
    }
    const stream = new EventStream<Events>(streams);
    // Of any stream it is enough to know that it beats.
    const beating = stream as unknown as EventStream<WithHeartbeat>;
    this.#open.add(beating);
    const timer = setInterval(() => void this.#beat(beating), streams.heartbeatEveryMs);
    stream.onOver(() => {
      clearInterval(timer);
      this.#open.delete(beating);
    });
    if (closing.aborted) {
      stream.end();
    }
    return stream;
  }

  async #beat(stream: EventStream<WithHeartbeat>): Promise<void> {
    stream.say('heartbeat', { serverTime: await timeNow(this.#context) });
  }

  #endAll(): void {
    for (const stream of [...this.#open]) {
      stream.end();
    }
  }
}
