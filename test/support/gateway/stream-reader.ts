import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** One event as it came over the wire. */
export interface StreamEvent {
  readonly event: string;
  readonly id: number | undefined;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** Reads server-sent events as a service would, and fails on a line that does not belong in a stream. */
export class StreamReader {
  readonly headers: IncomingHttpHeaders;
  readonly events: StreamEvent[] = [];
  /** Resolves when the connection has ended, however. */
  readonly ended: Promise<void>;
  retryMs: number | undefined;
  #text = '';
  #isEnded = false;
  #fault: Error | undefined;
  readonly #onChange: (() => void)[] = [];
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.headers = response.headers;
    this.#request = request;
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    response.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      response.once('close', () => {
        this.#isEnded = true;
        this.#wake();
        resolve();
      });
    });
  }

  /** Resolves when the stream has begun; throws when the answer is no stream. */
  static open(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamReader> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false });
      request.once('error', reject);
      request.once('response', (response) => {
        request.on('error', () => undefined);
        if (response.statusCode === 200) {
          resolve(new StreamReader(request, response));
        } else {
          response.destroy();
          reject(new Error(`answered with ${response.statusCode}`));
        }
      });
      request.end();
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** True when the answer came to its end and was not cut off. */
  get isComplete(): boolean {
    return this.#response.complete;
  }

  /** Takes nothing until `resume`. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** The data of the events of one name. */
  all(name: string): readonly Readonly<Record<string, unknown>>[] {
    return this.events.filter(({ event }) => event === name).map(({ data }) => data ?? {});
  }

  /** Sequences of the entries that came. */
  seqs(): readonly number[] {
    return this.all('entry').map(({ seq }) => Number(seq));
  }

  /** Resolves when what came is as wished; throws when the connection ends before. */
  async until(isDone: (reader: this) => boolean): Promise<this> {
    while (!isDone(this)) {
      if (this.#fault !== undefined) {
        throw this.#fault;
      }
      if (this.#isEnded) {
        throw new Error(`the stream ended with ${this.events.map(({ event }) => event).join(' ')}`);
      }
      await new Promise<void>((resolve) => this.#onChange.push(resolve));
    }
    return this;
  }

  /** Goes away, as a browser tab that is closed. */
  async leave(): Promise<void> {
    this.#request.destroy();
    await this.ended;
  }

  #read(text: string): void {
    this.#text += text;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      this.#take(this.#text.slice(0, end).split('\n'));
      this.#text = this.#text.slice(end + 2);
    }
    this.#wake();
  }

  #take(lines: readonly string[]): void {
    const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(': ') + 2)]));
    const names = [...fields.keys()].join(' ');
    if (names === 'retry') {
      this.retryMs = Number(fields.get('retry'));
    } else if (names === 'event data' || names === 'id event data') {
      const id = fields.get('id');
      this.events.push({
        event: fields.get('event') ?? '',
        id: id === undefined ? undefined : Number(id),
        data: JSON.parse(fields.get('data') ?? ''),
      });
    } else {
      this.#fault = new Error(`no event: ${lines.join('\\n').slice(0, 200)}`);
    }
  }

  #wake(): void {
    for (const resolve of this.#onChange.splice(0)) {
      resolve();
    }
  }
}
