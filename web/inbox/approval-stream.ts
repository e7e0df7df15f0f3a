import type { ApprovalDetail, StreamHeartbeat } from '../../src/core/http-answers';
import { EventReader, type ServerEvent } from './event-reader';

/** What a page hears of the questions. After `hello` the list has to be read; `closed` comes at most once per `hello`. */
export type StreamEvent =
  | { readonly type: 'hello' | 'heartbeat'; readonly serverTime: string }
  | { readonly type: 'approval'; readonly approval: ApprovalDetail }
  | { readonly type: 'closed' };

const STREAM = '/v1/approvals/stream';
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** More than two heartbeats: after so long a silence the connection is dead, whatever it looks like. */
const SILENCE_MS = 40_000;

/**
 * Follows the stream of approvals and connects again whenever it ends, with growing pauses; at once when the network
 * comes back or the page is looked at. Returns what ends it.
 */
export function followApprovals(listener: (event: StreamEvent) => void): () => void {
  const stopped = new AbortController();
  void follow(listener, stopped.signal);
  return () => stopped.abort();
}

async function follow(listener: (event: StreamEvent) => void, stop: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    let wasOpen = false;
    await readOnce((event) => {
      wasOpen = true;
      listener(event);
    }, stop);
    if (wasOpen) {
      listener({ type: 'closed' });
      pauseMs = FIRST_PAUSE_MS;
    }
    await pause(pauseMs, stop);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** One connection, from its start to its end, however it ends. */
async function readOnce(listener: (event: StreamEvent) => void, stop: AbortSignal): Promise<void> {
  const connection = new AbortController();
  const end = () => connection.abort();
  stop.addEventListener('abort', end, { once: true });
  let silence = setTimeout(end, SILENCE_MS);
  try {
    const response = await fetch(STREAM, { headers: { accept: 'text/event-stream' }, signal: connection.signal });
    if (!response.ok || response.body === null) {
      return;
    }
    const events = new EventReader();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE_MS);
      for (const event of events.read(piece.value)) {
        hand(event, listener);
      }
    }
  } catch {
    // However a connection ends, the next one says what it has missed.
  } finally {
    clearTimeout(silence);
    stop.removeEventListener('abort', end);
    end();
  }
}

function hand({ name, data }: ServerEvent, listener: (event: StreamEvent) => void): void {
  switch (name) {
    case 'hello':
    case 'heartbeat':
      listener({ type: name, serverTime: (JSON.parse(data) as StreamHeartbeat).serverTime });
      return;
    case 'approval':
      listener({ type: 'approval', approval: JSON.parse(data) as ApprovalDetail });
      return;
    default:
      return;
  }
}

function pause(durationMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      window.removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    // Pages that lost the same gateway should not all come back in the same moment.
    const timer = setTimeout(done, durationMs * (0.8 + 0.4 * Math.random()));
    stop.addEventListener('abort', done);
    window.addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
  });
}
