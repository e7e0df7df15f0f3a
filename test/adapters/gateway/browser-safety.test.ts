import { temporaryFolders } from '../../support/dev/temporary-folders';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
});

afterAll(() => gateway.close());

it('answers under its own names', async () => {
  const { port } = gateway;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
    expect((await gateway.get('/v1/approvals', { host })).status).toBe(200);
  }
});

it('refuses every other Host, so that no foreign name can be pointed at this machine', async () => {
  const { port } = gateway;
  for (const host of [
    `evil.example:${port}`,
    'localhost',
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `localhost.evil.example:${port}`,
    `localhost.:${port}`,
    `0.0.0.0:${port}`,
    ' ',
  ]) {
    const answer = await gateway.get('/v1/approvals', { host });
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ code: 'host_not_allowed' });
  }
});

it('answers a request of its own origin', async () => {
  const origin = `http://localhost:${gateway.port}`;
  const headers = { origin, 'sec-fetch-site': 'same-origin' };
  expect((await gateway.get('/v1/approvals', headers)).status).toBe(200);
  expect((await gateway.get('/v1/approvals', { 'sec-fetch-site': 'none' })).status).toBe(200);
});

it('refuses a request of another origin, on reading and on writing routes alike', async () => {
  const { port } = gateway;
  const body = { agent: 'workspace', message: { content: 'x' } };
  for (const origin of [
    'https://evil.example',
    'null',
    '',
    `http://localhost:${port + 1}`,
    `https://localhost:${port}`,
    `http://localhost:${port}.evil.example`,
    'file://',
  ]) {
    for (const answer of [
      await gateway.get('/v1/approvals', { origin }),
      await gateway.post('/v1/sessions', body, { origin }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.json).toMatchObject({ code: 'cross_site_refused' });
    }
  }
  expect(gateway.sessions.signals).toEqual([]);
});

it.each(['cross-site', 'same-site', 'surprise'])('refuses what a browser marks as %s', async (site) => {
  const answer = await gateway.get('/v1/approvals', { 'sec-fetch-site': site });
  expect(answer.status).toBe(403);
  expect(answer.json).toMatchObject({ code: 'cross_site_refused' });
});

it('tells browsers that nobody else may read, frame, guess or keep an answer', async () => {
  const answers = [
    await gateway.get('/v1/approvals'),
    await gateway.get('/v1/nothing'),
    await gateway.get('/v1/sessions/%zz'),
    await gateway.get('/v1/approvals', { host: 'evil.example' }),
    await gateway.send('POST', '/v1/sessions', { text: '{' }),
  ];
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

it('gives a preflight of another site nothing', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  };
  const answer = await gateway.send('OPTIONS', '/v1/sessions', { headers });
  expect(answer.status).toBe(403);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
});
