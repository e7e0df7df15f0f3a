import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
  const body = { agent: 'workspace', message: { content: 'first' }, sessionId: 'known' };
  expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
});

afterAll(async () => {
  expect(gateway.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(gateway.sessions.signals).toHaveLength(1);
  await gateway.close();
});

const ODD_IDS = [
  '%00',
  'a%00b',
  '..',
  '%2e%2e',
  '%2e%2e%2fknown',
  'a.b',
  '-known',
  '_known',
  'known%20',
  'k%C3%B6nig',
  '%F0%9F%92%A9',
  '%zz',
  '%',
  '%c3',
  'a'.repeat(101),
  'a'.repeat(200),
  'a'.repeat(10_000),
  "'%20or%201=1--",
  'known;x=1',
  '__proto__',
  'constructor',
  'KNOWN',
];

describe.each(ODD_IDS)('the id %j', (id) => {
  it('names no session', async () => {
    const answers = [
      await gateway.get(`/v1/sessions/${id}`),
      await gateway.get(`/v1/sessions/${id}/entries`),
      await gateway.post(`/v1/sessions/${id}/messages`, { content: 'x' }),
      await gateway.post(`/v1/sessions/${id}/cancel`, {}),
      await gateway.get(`/v1/sessions/${id}/explain`),
      await gateway.post(`/v1/sessions/${id}/close`, {}),
      await gateway.post(`/v1/sessions/${id}/repair`, { reason: 'x' }),
    ];
    for (const answer of answers) {
      expectProblem(answer, 404, 'unknown_session');
    }
  });

  it('names no approval', async () => {
    const answers = [
      await gateway.get(`/v1/approvals/${id}`),
      await gateway.post(`/v1/approvals/${id}/decisions`, { decision: 'reject' }),
    ];
    for (const answer of answers) {
      expectProblem(answer, 404, 'unknown_approval');
    }
  });
});

it.each([
  ['GET', '/'],
  ['GET', '/v1'],
  ['GET', '/v1/sessions/known/close'],
  ['GET', '/v1/sessions/known/repair'],
  ['POST', '/v1/sessions/known/explain'],
  ['POST', '/v1/agents'],
  ['GET', '/v1/agents/workspace'],
  ['GET', '/v1/tools/write_file'],
  ['POST', '/readyz'],
  ['GET', '/v1/sessions/known/messages'],
  ['GET', '/v1/sessions/known/cancel'],
  ['GET', '/v1/sessions/known/entries/1'],
  ['GET', '/v1/approvals/ap_1/decisions'],
  ['GET', '/V1/approvals'],
  ['GET', '/v1//approvals'],
  ['GET', '/v1/sessions/known/'],
  ['GET', '/v1/sessions/../../etc/passwd'],
  ['POST', '/v1/sessions/known'],
  ['POST', '/v1/approvals'],
  ['POST', '/healthz'],
  ['PUT', '/v1/sessions'],
  ['PATCH', '/v1/sessions/known'],
  ['DELETE', '/v1/sessions/known'],
  ['DELETE', '/v1/approvals/ap_1'],
  ['OPTIONS', '/v1/sessions'],
  ['TRACE', '/v1/approvals'],
  ['PROPFIND', '/v1/approvals'],
])('knows no %s %s', async (method, path) => {
  expectProblem(await gateway.send(method, path), 404, 'route_not_found');
});

it.each([
  ['/v1/sessions/known/entries', 'after=x', 'after: must be a whole number from 0'],
  ['/v1/sessions/known/entries', 'after=-1', 'after: must be a whole number from 0'],
  ['/v1/sessions/known/entries', 'after=', 'after: must be a whole number from 0'],
  ['/v1/sessions/known/entries', 'after=1.5', 'after: must be a whole number from 0'],
  ['/v1/sessions/known/entries', 'after=99999999999999999', 'after: must be a whole number from 0'],
  ['/v1/sessions/known/entries', 'after=1&after=2', 'after: expected string, received array'],
  ['/v1/sessions/known/entries', 'limit=0', 'limit: must be a whole number from 1 to 500'],
  ['/v1/sessions/known/entries', 'limit=501', 'limit: must be a whole number from 1 to 500'],
  ['/v1/sessions/known/entries', 'before=1', 'before: not a known member'],
  ['/v1/sessions', 'status=open', 'status: expected one of "idle"'],
  ['/v1/sessions', 'status=idle&status=closed', 'status: expected one of'],
  ['/v1/sessions', 'agent=', 'agent: must be 1 to 100 letters'],
  ['/v1/sessions', 'agent=a%00b', 'agent: must be 1 to 100 letters'],
  ['/v1/sessions', 'limit=0', 'limit: must be a whole number from 1 to 500'],
  ['/v1/sessions', 'limit=501', 'limit: must be a whole number from 1 to 500'],
  ['/v1/sessions', 'after=x', 'after: must be the nextAfter'],
  ['/v1/sessions', 'tenant=other', 'tenant: not a known member'],
  ['/v1/approvals', 'status=open', 'status: expected one of "pending"'],
  ['/v1/approvals', 'status=', 'status: expected one of "pending"'],
  ['/v1/approvals', 'status=pending&status=expired', 'status: expected one of'],
  ['/v1/approvals', 'sessionId=known', 'sessionId: not a known member'],
])('answers GET %s?%s with what is wrong', async (path, query, fault) => {
  const answer = await gateway.get(`${path}?${query}`);
  expectProblem(answer, 400, 'invalid_request');
  expect(String(answer.json?.['detail']).startsWith(fault)).toBe(true);
});

it('answers an unknown agent with the known ones', async () => {
  const answer = await gateway.post('/v1/sessions', { agent: '<b>"', message: { content: 'x' } });
  expectProblem(answer, 422, 'unknown_agent');
  expect(answer.json?.['detail']).toBe('There is no agent "<b>\\""; known agents: workspace.');
});
