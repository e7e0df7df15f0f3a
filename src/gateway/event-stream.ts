/**
 * One answer of server-sent events. What is said waits in a queue until the reader takes it, in pieces, so that the
 * memory a reader costs is what was said to it and not taken: whoever says much waits for `room` or looks at `isBehind`.
 *
 * open -> over: by `end`, by the reader going away, or by a reader that takes nothing for too long.
 */
import { Readable } from 'node:stream';
import type { StreamSettings } from './stream-settings';

/** Handed to the connection at once, at most. */
const PIECE_BYTES = 16_384;
/** Below this a reader has room for more. */
const ROOM_BYTES = 65_536;
/** How soon a browser that lost the connection comes back, in milliseconds. */
const RETRY_MS = 1_000;

/** `Events` gives the shape of each event's data by its name. */
export class EventStream<Events> {
  /** The body of the answer. */
  readonly body: Readable;
  readonly #settings: Pick<StreamSettings, 'stallTimeoutMs' | 'maxUnsentBytes'>;
  readonly #onOver: (() => void)[] = [];
  readonly #stallTimer: NodeJS.Timeout;
  readonly #queue: Buffer[] = [];
  #unsentBytes = 0;
  #isOver = false;
  /** The connection has asked for the first piece. */
  #hasBegun = false;
  /** The reader has taken everything and asks for more. */
  #isAsked = false;
  #onRoom: (() => void) | undefined;

  constructor(settings: Pick<StreamSettings, 'stallTimeoutMs' | 'maxUnsentBytes'>) {
    this.#settings = settings;
    this.#stallTimer = setTimeout(() => this.#cutIfStalled(), settings.stallTimeoutMs);
    this.body = new Readable({ highWaterMark: PIECE_BYTES, read: () => this.#hand() });
    this.body.once('close', () => this.#finish());
    this.#put(`retry: ${RETRY_MS}\n\n`);
  }

  /** True when nothing can be said any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls `action` once, as soon as the stream is over; now, when it is over already. */
  onOver(action: () => void): void {
    if (this.#isOver) {
      action();
    } else {
      this.#onOver.push(action);
    }
  }

  /** True while more is unsent than a reader may leave lying. */
  get isBehind(): boolean {
    return this.#unsentBytes > this.#settings.maxUnsentBytes;
  }

  /** Says an event; nothing happens when the stream is over. @param id Where a reader that comes back goes on. */
  say<Name extends keyof Events & string>(name: Name, data: Events[Name], id?: number): void {
    // JSON has no line ends of its own, so the data is one line.
    this.#put(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the reader has room for more, or the stream is over. One may wait at a time. */
  room(): Promise<void> {
    if (this.#unsentBytes < ROOM_BYTES || this.#isOver) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** Ends the stream at once: cleanly before it has begun or when everything is taken, else by cutting the connection. */
  end(): void {
    if (!this.#hasBegun || (this.#isAsked && this.body.readableLength === 0)) {
      this.body.push(null);
    } else {
      this.body.destroy();
    }
    this.#finish();
  }

  #put(text: string): void {
    if (this.#isOver) {
      return;
    }
    if (this.#unsentBytes === 0) {
      this.#stallTimer.refresh();
    }
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      this.#queue.push(bytes.subarray(start, start + PIECE_BYTES));
    }
    this.#unsentBytes += bytes.length;
    if (this.#isAsked) {
      this.#hand();
    }
  }

  /** Called when the reader can take more. */
  #hand(): void {
    this.#hasBegun = true;
    if (this.#isOver) {
      return;
    }
    this.#stallTimer.refresh();
    const piece = this.#nextPiece();
    this.#isAsked = piece === undefined;
    this.#unsentBytes -= piece?.length ?? 0;
    if (this.#unsentBytes < ROOM_BYTES) {
      this.#tellRoom();
    }
    if (piece !== undefined) {
      this.body.push(piece);
    }
  }

  /** Small events that wait go together. */
  #nextPiece(): Buffer | undefined {
    let count = 0;
    let sizeBytes = 0;
    for (const { length } of this.#queue) {
      if (count > 0 && sizeBytes + length > PIECE_BYTES) {
        break;
      }
      count += 1;
      sizeBytes += length;
    }
    return count === 0 ? undefined : Buffer.concat(this.#queue.splice(0, count));
  }

  #cutIfStalled(): void {
    if (this.#unsentBytes > 0) {
      this.body.destroy();
      this.#finish();
    }
  }

  #tellRoom(): void {
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }

  #finish(): void {
    if (this.#isOver) {
      return;
    }
    clearTimeout(this.#stallTimer);
    this.#queue.length = 0;
    this.#unsentBytes = 0;
    this.#isOver = true;
    this.#tellRoom();
    for (const action of this.#onOver.splice(0)) {
      action();
    }
  }
}
