import { SECOND_MS } from '../core/durations';
import { HoldpointError, isErrorCode, isHoldpointError } from '../core/errors';
import type { Problem } from '../core/http-answers';
import { isRecord } from '../core/json';

/** How a client reaches its gateway. */
export interface TransportOptions {
  /** For example `http://127.0.0.1:8400`; a path in it is kept. */
  readonly baseUrl: string;
  /** Sent with every request, for example a key. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Tries of one request, with pauses of 0.25, 0.5, 1, … s between them. Default 4. */
  readonly tries?: number;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash; ids in it are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
  /** Default: those of the client. */
  readonly tries?: number;
}

/** An answer with its JSON. */
export interface TransportAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends requests, and repeats what a gateway did not answer. */
export interface HttpTransport {
  /**
   * Every request of a client may be repeated: those that change something carry an `Idempotency-Key`. Resolves for
   * every answer with JSON in it, problems too. Throws HoldpointError `gateway_unreachable` when there was none, and
   * the signal's reason when it fires.
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** One try, for answers that are streams. Throws what `send` throws, and the HoldpointError of a problem. */
  open(request: TransportRequest & { readonly headers: Readonly<Record<string, string>> }): Promise<Response>;
}

const DEFAULT_TRIES = 4;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10 * SECOND_MS;
/** The gateway, or what stands before it, says that the same request may succeed a little later. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Makes the transport of one client. */
export function createHttpTransport(options: TransportOptions): HttpTransport {
  const { headers = {} } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const send = options.fetch ?? fetch;
  const once = async (request: TransportRequest, own: Readonly<Record<string, string>>): Promise<Response> => {
    try {
      return await send(`${baseUrl}${request.path}${queryText(request.query)}`, {
        method: request.method,
        headers: { ...headers, ...own },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      });
    } catch (error) {
      request.signal?.throwIfAborted();
      const text = `no holdpoint gateway answers at ${baseUrl}`;
      throw new HoldpointError('gateway_unreachable', text, { baseUrl }, { cause: error });
    }
  };
  return {
    send: async (request) => {
      const own = requestHeaders(request);
      const { tries = options.tries ?? DEFAULT_TRIES } = request;
      for (let attempt = 1; ; attempt += 1) {
        const answer = await once(request, own).then(readAnswer, (error: unknown) => {
          if (attempt < tries && isHoldpointError(error)) {
            return undefined;
          }
          throw error;
        });
        if (answer !== undefined && (attempt >= tries || !PASSING_STATUSES.has(answer.status))) {
          return answer;
        }
        await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)), request.signal);
      }
    },
    open: async (request) => {
      const response = await once(request, { accept: 'text/event-stream', ...request.headers });
      if (!response.ok) {
        throw problemError(await readAnswer(response));
      }
      return response;
    },
  };
}

/** The error that a problem stands for. Codes of a newer gateway become `internal`. */
export function problemError({ status, body }: TransportAnswer): HoldpointError {
  const { code, detail } = isRecord(body) ? (body as Partial<Problem>) : {};
  const text = typeof detail === 'string' ? detail : `The gateway answered with status ${status}.`;
  return new HoldpointError(isErrorCode(code) ? code : 'internal', text, { status });
}

function requestHeaders({ method, body }: TransportRequest): Readonly<Record<string, string>> {
  if (method === 'GET') {
    return { accept: 'application/json' };
  }
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
    ...(body === undefined ? { 'content-length': '0' } : {}),
  };
}

async function readAnswer(response: Response): Promise<TransportAnswer> {
  const text = await response.text();
  try {
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  } catch {
    return { status: response.status, body: undefined };
  }
}

function queryText(query: TransportRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      parameters.set(name, String(value));
    }
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Resolves after the time; rejects with the signal's reason when that fires first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) {
      onAbort();
    }
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
