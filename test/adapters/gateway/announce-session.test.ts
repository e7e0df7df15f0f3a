import { createAnnounceSession } from '../../../src/client/temporal';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
});

afterEach(() => gateway.close());

const announce = () => createAnnounceSession({ gatewayUrl: `http://127.0.0.1:${gateway.port}` });
const session = { sessionId: 'announced', agent: 'workspace', message: 'hello' };

test('stores a task with its message, starts nothing, and changes nothing when it is repeated', async () => {
  const options = { limits: { roundsPerTurn: 2 }, metadata: { ticket: '7' } };
  expect(await announce()({ ...session, ...options })).toEqual({ sessionId: 'announced' });
  expect(await announce()({ ...session, ...options })).toEqual({ sessionId: 'announced' });
  const view = await gateway.get('/v1/sessions/announced');
  expect(view.json).toMatchObject({ mode: 'task', status: 'idle', ...options });
  expect(gateway.sessions.signals).toEqual([]);
});

test('announces a conversation where it is asked to', async () => {
  await announce()({ ...session, mode: 'conversation' });
  expect((await gateway.get('/v1/sessions/announced')).json).toMatchObject({ mode: 'conversation' });
});

test.each([
  ['unknown_agent', { agent: 'nobody', sessionId: 'another' }],
  ['session_exists', { message: 'another' }],
  ['invalid_request', { sessionId: 'a b' }],
])('fails for good as %s where a repeat would change nothing', async (code, changes) => {
  await announce()(session);
  await expect(announce()({ ...session, ...changes })).rejects.toMatchObject({
    name: 'ApplicationFailure',
    type: code,
    nonRetryable: true,
  });
});

test('is repeated by Temporal when the gateway can not be reached', async () => {
  const unreachable = createAnnounceSession({ gatewayUrl: 'http://127.0.0.1:1' });
  await expect(unreachable(session)).rejects.toMatchObject({ type: 'gateway_unreachable', nonRetryable: false });
});
