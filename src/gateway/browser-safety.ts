import type { FastifyRequest } from 'fastify';
import { HoldpointError } from '../core/errors';

/** On every answer: nothing may frame it, guess its type, keep it, or read it from another site. */
export const SAFETY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * On the page: it may run its own script and style and talk to its own gateway, nothing else, and no text can become
 * HTML. A page of another site that opened it has no hold on its window.
 */
export const PAGE_SAFETY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
} as const;

const HTTP_PORT = 80;

/**
 * True for a person who follows a link to the page, from a mail or a chat: a top-level navigation to `/`. It changes
 * nothing, the other site can't read what comes, and the page takes no decision from its address.
 */
function isFollowedLink({ method, url, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    url === '/' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

/**
 * Refuses what a page of another site makes a browser send. There is no login, so being able to reach the port must not
 * be enough: a foreign name that resolves to this machine fails by `Host`, another site's page by `Origin` (browsers
 * send it with every request that may change something) or by `Sec-Fetch-Site`. Pages on another port of this machine
 * are `same-site` for a browser and as foreign as any other. Only the page itself may be opened from anywhere.
 *
 * @param allowedHosts Further names of this gateway, lower case: `desk.internal:9000` is that and nothing else,
 *   `desk.internal` stands for the port of the gateway and for no port, too. Their pages may come by HTTPS.
 *
 * Throws `host_not_allowed` and `cross_site_refused`.
 */
export function refuseForeignRequest(request: FastifyRequest, allowedHosts: readonly string[]): void {
  const { host, origin } = request.headers;
  const port = request.socket.localPort;
  const furtherHosts = allowedHosts.flatMap((name) => (hasPort(name) ? name : [name, `${name}:${port}`]));
  const hosts = [...ownHosts(port), ...furtherHosts];
  if (host === undefined || !hosts.includes(host.toLowerCase())) {
    throw new HoldpointError('host_not_allowed', `The Host header must be one of ${hosts.join(', ')}.`);
  }
  const origins = [...hosts.map((own) => `http://${own}`), ...furtherHosts.map((own) => `https://${own}`)];
  if (origin !== undefined && !origins.includes(origin.toLowerCase())) {
    throw new HoldpointError('cross_site_refused', 'The Origin header names another site.');
  }
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isFollowedLink(request)) {
    throw new HoldpointError('cross_site_refused', 'The Sec-Fetch-Site header says that another site asks.');
  }
}

function hasPort(name: string): boolean {
  return /:[0-9]+$/.test(name);
}

function ownHosts(port: number | undefined): readonly string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  const withPort = names.map((name) => `${name}:${port}`);
  return port === HTTP_PORT ? [...withPort, ...names] : withPort;
}
