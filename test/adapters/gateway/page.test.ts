import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../../src/adapters/store/open-store';
import type { SessionStore } from '../../../src/core/ports/session-store';
import { type Gateway, startGateway } from '../../../src/gateway/main';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { type Answer, sendRequest } from '../../support/gateway/gateway-under-test';
import { silentLogger } from '../../support/silent-logger';

const newFolder = temporaryFolders();
const FILES = { '/': 'index.html', '/page.js': 'page.js', '/page.css': 'page.css', '/icon.svg': 'icon.svg' };
/** What Chromium sends for a person who follows a link on another site. */
const FOLLOWED_LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

let store: SessionStore;
let folder: string;
let gateway: Gateway | undefined;

beforeEach(async () => {
  store = await openStore({ kind: 'sqlite', path: join(newFolder(), 'holdpoint.db') }, { migrate: true });
  folder = newFolder();
  for (const name of [...Object.values(FILES), 'secret.txt']) {
    writeFileSync(join(folder, name), `content of ${name}`);
  }
});

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await store.close();
});

async function start(pageFolder?: string): Promise<void> {
  const temporal = { address: '127.0.0.1:1', namespace: 'default', taskQueue: 'holdpoint' };
  const page = pageFolder === undefined ? {} : { pageFolder };
  gateway = await startGateway({ store, temporal, port: 0, logger: silentLogger, ...page });
}

function send(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return sendRequest(Number(new URL(gateway?.url ?? '').port), method, path, { headers });
}

it('serves the files of the page, each with its type', async () => {
  await start(folder);
  for (const [path, name] of Object.entries(FILES)) {
    const { status, text } = await send('GET', path);
    expect({ path, status, text }).toEqual({ path, status: 200, text: `content of ${name}` });
  }
  expect((await send('GET', '/')).headers['content-type']).toBe('text/html; charset=utf-8');
  expect((await send('GET', '/page.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
});

it('serves nothing else of the folder, whatever the path says', async () => {
  await start(folder);
  for (const path of [
    '/secret.txt',
    '/./secret.txt',
    '/index.html',
    '/page.js/../secret.txt',
    '/%2e/secret.txt',
    '//',
  ]) {
    expect({ path, status: (await send('GET', path)).status }).toEqual({ path, status: 404 });
  }
});

it('serves what it read at its start, also when the files change', async () => {
  await start(folder);
  writeFileSync(join(folder, 'page.js'), 'changed');
  expect((await send('GET', '/page.js')).text).toBe('content of page.js');
});

it('lets the page run its own script only, and lets no text become HTML', async () => {
  await start(folder);
  const { headers } = await send('GET', '/');
  expect(headers).toMatchObject({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
});

it('opens for a person who follows a link on another site', async () => {
  await start(folder);
  expect((await send('GET', '/', FOLLOWED_LINK)).status).toBe(200);
  expect((await send('GET', '/', { ...FOLLOWED_LINK, 'sec-fetch-site': 'same-site' })).status).toBe(200);
});

it.each([
  ['in a frame', 'GET', '/', { 'sec-fetch-dest': 'iframe' }],
  ['by a script of another site', 'GET', '/', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }],
  ['as a form that is sent', 'POST', '/', { 'content-type': 'application/json' }],
  ['under another address', 'GET', '/v1/approvals', {}],
  ['with a foreign origin', 'GET', '/', { origin: 'https://evil.example' }],
])('stays closed to another site %s', async (_how, method, path, headers) => {
  await start(folder);
  const answer = await send(method, path, { ...FOLLOWED_LINK, ...headers });
  expect(answer.status).toBe(403);
  expect(answer.json).toMatchObject({ code: 'cross_site_refused' });
});

it('does not start with a page that was not built', async () => {
  await expect(start(newFolder())).rejects.toMatchObject({ code: 'invalid_config' });
});

it('has no page without its folder', async () => {
  await start();
  expect((await send('GET', '/')).json).toMatchObject({ code: 'route_not_found' });
});
