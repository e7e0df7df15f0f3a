import type { Socket } from 'node:net';
import { HoldpointError } from '../core/errors';
import { SAFETY_HEADERS } from './browser-safety';
import { toProblem } from './problem-details';

/** Statuses for what is no HTTP request, or not a whole one; anything else is 400. */
const STATUS_BY_CODE: Readonly<Record<string, readonly [status: number, phrase: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};
const NOT_HTTP = [400, 'Bad Request', 'The request is not valid HTTP.'] as const;

/** Answers what never became a request, and ends the connection. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, detail] = STATUS_BY_CODE[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify({ ...toProblem(new HoldpointError('invalid_request', detail)), status });
  const headers = Object.entries({
    ...SAFETY_HEADERS,
    connection: 'close',
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${head}\r\n${body}`, () => socket.destroySoon());
}
