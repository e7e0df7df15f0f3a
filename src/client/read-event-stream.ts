import { createParser, type EventSourceMessage } from 'eventsource-parser';

/**
 * Yields the server-sent events of one response until it ends, the reader leaves, or nothing (not even a heartbeat) has
 * come for `silenceMs`. Returns in the first and the last case; throws what reading throws. Leaving ends the response.
 */
export async function* readEventStream(
  response: Response,
  silenceMs: number,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return;
  }
  const decoder = new TextDecoder();
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  try {
    for (;;) {
      const read = await within(silenceMs, reader.read());
      if (read === undefined || read.done) {
        return;
      }
      parser.feed(decoder.decode(read.value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function within<Value>(limitMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
