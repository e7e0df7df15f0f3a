import { join } from 'node:path';
import { openStore } from '../../../src/adapters/store/open-store';
import { startGateway } from '../../../src/gateway/main';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { type GatewayUnderTest, openGatewayUnderTest, sendRequest } from '../../support/gateway/gateway-under-test';
import { silentLogger } from '../../support/silent-logger';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder(), allowedHosts: ['desk.internal', 'desk.example:443'] });
});

afterAll(() => gateway.close());

const statusFor = async (headers: Record<string, string>) => (await gateway.get('/v1/approvals', headers)).status;

it('answers under a name it was told: with its own port, without one, or with the port that was said', async () => {
  const { port } = gateway;
  for (const host of ['desk.internal', `desk.internal:${port}`, `Desk.Internal:${port}`, 'desk.example:443']) {
    expect(await statusFor({ host })).toBe(200);
  }
  for (const host of ['desk.internal:1', 'desk.example', `desk.example:${port}`, 'a.desk.internal', 'internal']) {
    expect(await statusFor({ host })).toBe(403);
  }
});

it('takes pages of that name by HTTP and HTTPS, and of no other', async () => {
  const host = 'desk.internal';
  expect(await statusFor({ host, origin: 'https://desk.internal' })).toBe(200);
  expect(await statusFor({ host, origin: `http://desk.internal:${gateway.port}` })).toBe(200);
  expect(await statusFor({ host, origin: 'https://desk.internal:1' })).toBe(403);
  expect(await statusFor({ host, origin: 'https://evil.example' })).toBe(403);
  expect(await statusFor({ host: `localhost:${gateway.port}`, origin: `https://localhost:${gateway.port}` })).toBe(403);
});

describe('the address it listens on', () => {
  async function startOn(host: string) {
    const store = await openStore({ kind: 'sqlite', path: join(newFolder(), 'holdpoint.db') }, { migrate: true });
    const temporal = { address: '127.0.0.1:1', namespace: 'default', taskQueue: 'holdpoint', callTimeoutMs: 300 };
    try {
      const started = await startGateway({ store, temporal, host, port: 0, logger: silentLogger });
      const port = Number(new URL(started.url).port);
      const { status } = await sendRequest(port, 'GET', '/v1/approvals', {
        headers: { host: `localhost:${port}` },
        address: host,
      });
      await started.close();
      return { url: started.url, status, port };
    } finally {
      await store.close();
    }
  }

  it('is the one that was named', async () => {
    expect(await startOn('127.0.0.2')).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.2:/),
      status: 200,
    });
  });

  it('is refused by its name when it is not of this machine', async () => {
    await expect(startOn('192.0.2.1')).rejects.toMatchObject({
      code: 'invalid_config',
      message: 'HOLDPOINT_HOST: expected an address of this machine, got 192.0.2.1',
    });
  });
});
