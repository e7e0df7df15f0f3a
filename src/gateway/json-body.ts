import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HoldpointError, isHoldpointError } from '../core/errors';
import type { JsonValue } from '../core/json';
import { parseStrictJson } from '../core/strict-json';

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const READING_METHODS = ['GET', 'HEAD', 'OPTIONS'];
/** Read beyond the limit and dropped: a client that still sends when its connection ends never sees the answer. */
const DROPPED_BYTES = 64 * 1024 * 1024;

/**
 * Makes the server read JSON bodies, strictly, and nothing else. Every request that may change something must say that
 * it sends JSON, also without a body: a form on another site's page can't. An empty body is `undefined`.
 *
 * Requests fail with `unsupported_media_type`, `body_too_large`, `malformed_json` or, for JSON that can be read in more
 * than one way, `invalid_request`.
 */
export function readJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addHook('onRequest', async (request) => requireJson(request));
  server.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await readBody(payload, request.routeOptions.bodyLimit);
    return request.is404 || body.length === 0 ? undefined : parseBody(body);
  });
}

async function readBody(payload: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= limitBytes) {
      chunks.push(chunk);
    } else if (sizeBytes > limitBytes + DROPPED_BYTES) {
      break;
    }
  }
  if (sizeBytes > limitBytes) {
    throw new HoldpointError('body_too_large', `The body is larger than the ${limitBytes} bytes this route takes.`);
  }
  return Buffer.concat(chunks);
}

function requireJson(request: FastifyRequest): void {
  if (request.is404 || READING_METHODS.includes(request.method)) {
    return;
  }
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new HoldpointError('unsupported_media_type', 'The Content-Type must be application/json (UTF-8).');
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new HoldpointError('unsupported_media_type', 'The body must not be compressed.');
  }
}

function parseBody(body: Buffer): JsonValue {
  try {
    return parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw bodyFault(error);
  }
}

function bodyFault(error: unknown): HoldpointError {
  return isHoldpointError(error) && error.code === 'not_canonical'
    ? new HoldpointError('invalid_request', error.message, {}, { cause: error })
    : new HoldpointError('malformed_json', 'The body is not JSON in UTF-8.', {}, { cause: error });
}
