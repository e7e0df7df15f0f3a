import { connect } from 'node:net';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
});

afterEach(async () => {
  expect((await gateway.get('/v1/approvals')).status).toBe(200);
  expect(gateway.logLines.filter(({ level }) => level === 'error')).toEqual([]);
});

afterAll(() => gateway.close());

/** Sends bytes as they are and reads until the gateway ends the connection. */
function exchange(text: string): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body });
    });
  });
}

function request(firstLine: string, ...headers: string[]): string {
  const lines = [firstLine, `Host: 127.0.0.1:${gateway.port}`, 'Connection: close', ...headers];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

it.each([
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an unknown method', 'FOO / HTTP/1.1\r\n\r\n'],
  ['a path without a slash', 'GET v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a raw byte in the path', 'GET /v1/sessions/\x00 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a broken header', 'GET / HTTP/1.1\r\nHost x\r\n\r\n'],
  ['two lengths', 'POST /v1/sessions HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ['a length and chunks', 'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['a length that is no number', 'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n'],
])('answers %s with 400 and ends the connection', async (_name, text) => {
  const { status, head, body } = await exchange(text);
  expect(status).toBe(400);
  expect(head).toMatch(/content-type: application\/problem\+json/);
  expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'invalid_request' });
});

it('answers headers of more than 16 KB with 431', async () => {
  const { status, body } = await exchange(request('GET /v1/approvals HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`));
  expect(status).toBe(431);
  expect(JSON.parse(body)).toMatchObject({ status: 431, code: 'invalid_request' });
});

it('refuses a request without Host', async () => {
  const { status, body } = await exchange('GET /v1/approvals HTTP/1.0\r\n\r\n');
  expect(status).toBe(403);
  expect(JSON.parse(body)).toMatchObject({ code: 'host_not_allowed' });
});

it('goes by the first of two Host headers', async () => {
  const { status } = await exchange(`GET /v1/approvals HTTP/1.1\r\nHost: evil.example\r\n${request('').trimStart()}`);
  expect(status).toBe(403);
});

it('leaves dots in a path as they are', async () => {
  const { status, body } = await exchange(request('GET /v1/sessions/../entries HTTP/1.1'));
  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ code: 'unknown_session' });
});

it('reads a body that comes in chunks', async () => {
  const body = '{"agent":"nobody","message":{"content":"x"}}';
  const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join('');
  const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const answer = await exchange(`${request('POST /v1/sessions HTTP/1.1', ...headers)}${chunks}0\r\n\r\n`);
  expect(answer.status).toBe(422);
});

it('drops a request whose client went away in the middle of its body', async () => {
  const head = request('POST /v1/sessions HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 1000');
  await new Promise<void>((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1', () => {
      socket.write(`${head}{"agent":`, () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });
  expect(gateway.sessions.signals).toEqual([]);
});
