import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import type { Chunk } from '../../../core/chunks';
import { HoldpointError } from '../../../core/errors';
import type { Usage } from '../../../core/messages';
import type { MockReply } from './mock-reply';

/** Pieces are small, so that every reply takes several chunks; a long text takes at most about 64. */
const PIECE_CHARACTERS = 16;
const MAX_PIECES = 64;
const SLOW_STEP_MS = 100;

/** How a reply is streamed. */
interface StreamOptions {
  /** Unique within a session and the same on every attempt; call ids are made of it. */
  readonly position: number;
  readonly usage: Usage;
  readonly signal: AbortSignal;
}

/** Streams a reply as a provider would: text, calls piece by piece, usage, finish. */
export async function* streamReply(reply: MockReply, options: StreamOptions): AsyncGenerator<Chunk> {
  const { position, usage, signal } = options;
  for await (const text of pacedText(reply, signal)) {
    yield { type: 'text-delta', index: 0, text };
  }
  if (reply.breaksWith === 'cut') {
    return;
  }
  if (reply.breaksWith !== undefined) {
    throw new HoldpointError(reply.breaksWith, `The mock model was told to fail with ${reply.breaksWith}.`);
  }
  for (const [number, { name, argumentsText }] of reply.calls.entries()) {
    const index = number + 1;
    yield { type: 'tool-call-delta', index, providerCallId: `mock-${position}-${index}`, name };
    for (const piece of piecesOf(argumentsText)) {
      await breathe(signal);
      yield { type: 'tool-call-delta', index, argumentsText: piece };
    }
  }
  yield { type: 'usage', usage };
  yield { type: 'finish', reason: reply.calls.length > 0 ? 'tool-calls' : 'stop' };
}

async function* pacedText({ text, slowMs = 0 }: MockReply, signal: AbortSignal): AsyncGenerator<string> {
  for (let step = 0; step < slowMs / SLOW_STEP_MS; step += 1) {
    await wait(SLOW_STEP_MS, undefined, { signal });
    yield '. ';
  }
  for (const piece of piecesOf(text)) {
    await breathe(signal);
    yield piece;
  }
}

/** Lets everything else run between two chunks, and stops when the caller is gone. */
async function breathe(signal: AbortSignal): Promise<void> {
  await nextTick();
  signal.throwIfAborted();
}

function piecesOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(PIECE_CHARACTERS, Math.ceil(characters.length / MAX_PIECES));
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(''));
}
