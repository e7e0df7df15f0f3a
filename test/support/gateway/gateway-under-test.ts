import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { createMemoryFeed, type MemoryFeed } from '../../../src/adapters/feed/memory/memory-feed';
import { openStore } from '../../../src/adapters/store/open-store';
import type { Tenant } from '../../../src/core/ids';
import type { GatewayStore } from '../../../src/core/ports/gateway-store';
import type { Logger } from '../../../src/core/ports/logger';
import type { SessionStore } from '../../../src/core/ports/session-store';
import { createGatewayServer } from '../../../src/gateway/server';
import { STREAM_DEFAULTS, type StreamSettings } from '../../../src/gateway/stream-settings';
import { RecordingSessions } from './recording-sessions';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly json: Record<string, unknown> | undefined;
}

export interface RequestParts {
  /** Where the gateway listens. Default: 127.0.0.1. */
  readonly address?: string;
  /** Sent as JSON, unless `text` is given. */
  readonly body?: unknown;
  readonly text?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway on a free port, over a SQLite file, with a stand-in for Temporal. */
export interface GatewayUnderTest {
  readonly port: number;
  readonly store: SessionStore;
  readonly sessions: RecordingSessions;
  /** What a worker would say on the side; nobody says anything on it but the test. */
  readonly feed: MemoryFeed;
  /** What `nowMs` of the gateway's clock answers; undefined = the real time. */
  nowMs: number | undefined;
  readonly logLines: readonly { readonly level: string; readonly message: string; readonly fields: unknown }[];
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  send(method: string, path: string, parts?: RequestParts): Promise<Answer>;
  close(): Promise<void>;
}

export interface GatewayUnderTestOptions {
  /** Empty folder for the store. */
  readonly folder: string;
  /** Default `default`. Several gateways may share one folder. */
  readonly tenant?: string;
  /** Default 5,000. */
  readonly outcomeTimeoutMs?: number;
  readonly allowedHosts?: readonly string[];
  /** Default `['workspace']`. */
  readonly agents?: readonly string[];
  readonly streams?: Partial<StreamSettings>;
  /** What the gateway gets to see of the store. Default: the store itself. */
  readonly wrapStore?: (store: GatewayStore) => GatewayStore;
}

export async function openGatewayUnderTest(options: GatewayUnderTestOptions): Promise<GatewayUnderTest> {
  const tenant = (options.tenant ?? 'default') as Tenant;
  const store = await openStore({ kind: 'sqlite', path: join(options.folder, 'holdpoint.db') }, { migrate: true });
  const agents = (options.agents ?? ['workspace']).map((name) => ({ name, digest: `digest-${name}`, definition: {} }));
  await store.publishAgents(agents, tenant);
  const sessions = new RecordingSessions();
  const closing = new AbortController();
  const logLines: { level: string; message: string; fields: unknown }[] = [];
  const feed = createMemoryFeed();
  const gateway = { nowMs: undefined as number | undefined };
  const server = createGatewayServer({
    store: options.wrapStore?.(store) ?? store,
    sessions,
    allowedHosts: options.allowedHosts ?? [],
    tenant,
    principal: 'local',
    clock: { nowMs: async () => gateway.nowMs ?? Date.now() },
    logger: recordingLogger(logLines),
    feed,
    streams: { ...STREAM_DEFAULTS, ...options.streams },
    outcomeTimeoutMs: options.outcomeTimeoutMs ?? 5_000,
    closing: closing.signal,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const send = (method: string, path: string, parts?: RequestParts) => sendRequest(port, method, path, parts);
  return Object.assign(gateway, {
    port,
    store,
    sessions,
    feed,
    logLines,
    send,
    get: (path: string, headers?: Readonly<Record<string, string>>) => send('GET', path, headers ? { headers } : {}),
    post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) =>
      send('POST', path, { body, ...(headers ? { headers } : {}) }),
    close: async () => {
      closing.abort();
      await server.close();
      await store.close();
    },
  });
}

/** One request on a connection of its own, with the path as it is given. */
export function sendRequest(port: number, method: string, path: string, parts: RequestParts = {}): Promise<Answer> {
  const text = parts.text ?? (parts.body === undefined ? undefined : JSON.stringify(parts.body));
  const headers = { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...parts.headers };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: parts.address ?? '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body, json: parseJson(body) });
        });
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function recordingLogger(lines: { level: string; message: string; fields: unknown }[]): Logger {
  const at = (level: string) => (message: string, fields?: unknown) => {
    lines.push({ level, message, fields });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
