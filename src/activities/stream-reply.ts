import { type AssembledReply, createBlockAssembler } from '../core/block-assembler';
import type { Chunk } from '../core/chunks';
import { HoldpointError } from '../core/errors';
import type { Block } from '../core/messages';
import type { ModelAdapter, ModelRequest } from '../core/ports/model-adapter';
import type { ActiveWatch } from './active-watch';

/** What ends a stream besides the model. */
export interface StreamLimits {
  readonly turn: number;
  readonly round: number;
  /** Counts the time; a process that sleeps must not end a stream by waking up. */
  readonly watch: Pick<ActiveWatch, 'after'>;
  /** Longest silence, in milliseconds. */
  readonly idleMs: number;
  /** Active milliseconds the turn has left. */
  readonly limitMs: number;
  /** The activity's own cancel, for whatever reason. */
  readonly cancelled: AbortSignal;
  /** The worker is about to stop. */
  readonly stopping: AbortSignal;
}

/** How a stream ended: with a whole reply, or given up, with what had come by then. */
export type StreamOutcome =
  | { readonly status: 'replied'; readonly reply: AssembledReply }
  | { readonly status: 'cancelled'; readonly partial: readonly Block[] }
  | { readonly status: 'stopping' };

type Ending = 'idle' | 'limit' | 'cancelled' | 'stopping';

/**
 * Makes one attempt at a model call and assembles what comes. It returns at once when it is cancelled or the worker
 * stops, also when the adapter ignores its signal.
 *
 * @param onChunk Hears each chunk that was taken into the reply; must not throw.
 *
 * Throws HoldpointError: what the adapter throws, `model_timeout` after a silence, `active_time_over` when the turn's
 * time is used up, `model_stream_cut` and `model_empty_response` for a stream that was no reply.
 */
export async function streamReply(
  adapter: ModelAdapter,
  request: ModelRequest,
  limits: StreamLimits,
  onChunk: (chunk: Chunk) => void,
): Promise<StreamOutcome> {
  const assembler = createBlockAssembler(limits);
  const watch = watchStream(limits);
  try {
    await consume(adapter.stream(request, { signal: watch.signal }), watch, (chunk) => {
      assembler.push(chunk);
      onChunk(chunk);
    });
    return { status: 'replied', reply: assembler.finish() };
  } catch (error) {
    const ending = watch.ending();
    switch (ending) {
      case undefined:
        throw error;
      case 'cancelled':
        return { status: ending, partial: assembler.partial() };
      case 'stopping':
        return { status: ending };
      default:
        throw limitError(ending, limits);
    }
  } finally {
    watch.stop();
  }
}

async function consume(
  stream: AsyncIterable<Chunk>,
  watch: StreamWatch,
  onChunk: (chunk: Chunk) => void,
): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), watch.fired]);
      const ending = watch.ending();
      if (ending !== undefined) {
        throw limitReached(ending);
      }
      if (next === undefined || next.done === true) {
        return;
      }
      watch.touch();
      onChunk(next.value);
    }
  } finally {
    // Not awaited: an adapter that ignores its signal may hang here for ever.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

interface StreamWatch {
  readonly signal: AbortSignal;
  /** Resolves when the signal fires. */
  readonly fired: Promise<undefined>;
  /** Why the signal fired; undefined while it has not. */
  ending(): Ending | undefined;
  /** Begins the silence anew. */
  touch(): void;
  stop(): void;
}

function watchStream({ watch, idleMs, limitMs, cancelled, stopping }: StreamLimits): StreamWatch {
  const controller = new AbortController();
  let ending: Ending | undefined;
  const end = (cause: Ending): void => {
    ending ??= cause;
    controller.abort(limitReached(cause));
  };
  const fired = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const onCancelled = (): void => end('cancelled');
  const onStopping = (): void => end('stopping');
  let endSilence = watch.after(idleMs, () => end('idle'));
  const endLimit = watch.after(limitMs, () => end('limit'));
  for (const [signal, listener] of [
    [cancelled, onCancelled],
    [stopping, onStopping],
  ] as const) {
    if (signal.aborted) {
      listener();
    } else {
      signal.addEventListener('abort', listener, { once: true });
    }
  }
  return {
    signal: controller.signal,
    fired,
    ending: () => ending,
    touch: () => {
      endSilence();
      endSilence = watch.after(idleMs, () => end('idle'));
    },
    stop: () => {
      endSilence();
      endLimit();
      cancelled.removeEventListener('abort', onCancelled);
      stopping.removeEventListener('abort', onStopping);
    },
  };
}

function limitReached(ending: Ending): Error {
  return new Error(`The model stream was ended: ${ending}.`);
}

function limitError(
  ending: Exclude<Ending, 'cancelled' | 'stopping'>,
  { idleMs, limitMs }: StreamLimits,
): HoldpointError {
  return ending === 'idle'
    ? new HoldpointError('model_timeout', `The model said nothing for ${idleMs} ms.`)
    : new HoldpointError('active_time_over', `The model call took the ${limitMs} ms that the turn had left.`);
}
