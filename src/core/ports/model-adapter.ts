import type { Chunk } from '../chunks';
import type { Message } from '../messages';
import type { ToolSchema } from '../tools';

/** Everything one model call needs. It is rebuilt from the log on every attempt and is the same each time. */
export interface ModelRequest {
  /** The model's name at its provider, without our `api:` prefix. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  /** Empty: no tools are offered in this round. */
  readonly tools: readonly ToolSchema[];
}

/**
 * One provider API. An adapter translates and nothing else: it knows no session, no retry, no policy.
 *
 * `stream` makes exactly one attempt (no retries inside). It yields chunks and ends after `finish`; a stream that ends
 * without `finish` was cut. It throws HoldpointError with a `model_*` code. When `signal` fires it stops at once and
 * may throw anything: the caller looks at the signal first.
 */
export interface ModelAdapter {
  readonly api: string;
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<Chunk>;
}
