import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';

const MEBIBYTE = 1_048_576;
const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
  const created = await gateway.post('/v1/sessions', sessionBody('first', 'known'));
  expect(created.status).toBe(201);
});

afterEach(async () => {
  const session = await gateway.get('/v1/sessions/known');
  expect(session.status).toBe(200);
  expect(gateway.logLines.filter(({ level }) => level === 'error')).toEqual([]);
});

afterAll(async () => {
  // Nothing of all this reached Temporal.
  expect(gateway.sessions.signals).toHaveLength(1);
  await gateway.close();
});

function sessionBody(content: unknown, sessionId?: string) {
  return { agent: 'workspace', message: { content }, ...(sessionId === undefined ? {} : { sessionId }) };
}

interface Mutation {
  readonly path: string;
  readonly good: object;
  /** Bodies with one fault each, and how the answer begins. */
  readonly faults: readonly (readonly [body: unknown, fault: string])[];
}

const MUTATIONS: readonly Mutation[] = [
  {
    path: '/v1/sessions',
    good: sessionBody('hello'),
    faults: [
      [{ message: { content: 'x' } }, 'agent: expected string'],
      [{ agent: 7, message: { content: 'x' } }, 'agent: expected string, received number'],
      [{ agent: '', message: { content: 'x' } }, 'agent: '],
      [{ agent: 'workspace' }, 'message: expected object'],
      [{ agent: 'workspace', message: 'x' }, 'message: expected object, received string'],
      [{ agent: 'workspace', message: {} }, 'message.content: expected string'],
      [sessionBody(null), 'message.content: expected string, received null'],
      [sessionBody(['x']), 'message.content: expected string, received array'],
      [sessionBody(''), 'message.content: must not be blank'],
      [sessionBody('x', ''), 'sessionId: must be'],
      [sessionBody('x', '-x'), 'sessionId: must be'],
      [sessionBody('x', 'a/b'), 'sessionId: must be'],
      [sessionBody('x', 'é'), 'sessionId: must be'],
      [sessionBody('x', 'a'.repeat(101)), 'sessionId: must be'],
      [{ ...sessionBody('x'), sessionId: 5 }, 'sessionId: expected string'],
      [{ ...sessionBody('x'), tenant: 'other' }, 'tenant: not a known member'],
      [{ ...sessionBody('x'), principal: 'root' }, 'principal: not a known member'],
      [{ agent: 'workspace', message: { content: 'x', mode: 'steer' } }, 'message.mode: not a known member'],
    ],
  },
  {
    path: '/v1/sessions/known/messages',
    good: { content: 'hello' },
    faults: [
      [{}, 'content: expected string'],
      [{ content: 1 }, 'content: expected string, received number'],
      [{ content: ' \n' }, 'content: must not be blank'],
      [{ content: 'x', mode: 'loud' }, 'mode: expected one of "followup"|"steer"|"inject"'],
      [{ content: 'x', mode: null }, 'mode: expected one of'],
      [{ content: 'x', messageId: 'm1' }, 'messageId: not a known member'],
    ],
  },
  {
    path: '/v1/sessions/known/cancel',
    good: {},
    faults: [
      [{ turn: '1' }, 'turn: expected number, received string'],
      [{ turn: 1.5 }, 'turn: expected int'],
      [{ turn: 0 }, 'turn: '],
      [{ turn: -1 }, 'turn: '],
      [{ reason: 'enough' }, 'reason: not a known member'],
      [{ keepQueue: 'yes' }, 'keepQueue: expected boolean, received string'],
      [{ force: true }, 'force: not a known member'],
    ],
  },
  {
    path: '/v1/approvals/ap_1/decisions',
    good: { decision: 'reject' },
    faults: [
      [{}, 'decision: expected string'],
      [{ decision: true }, 'decision: expected string, received boolean'],
      [{ decision: '' }, 'decision: '],
      [{ decision: 'x'.repeat(41) }, 'decision: '],
      [{ decision: 'approve', argumentsDigest: 7 }, 'argumentsDigest: expected string, received number'],
      [{ decision: 'approve', argumentsDigest: '' }, 'argumentsDigest: '],
      [{ decision: 'reject', comment: [] }, 'comment: expected string, received array'],
      [{ decision: 'reject', comment: 'x'.repeat(10_001) }, 'comment: '],
      [{ decision: 'reject', decisionId: 'a b' }, 'decisionId: must be'],
      [{ decision: 'reject', decidedAt: '2020-01-01T00:00:00Z' }, 'decidedAt: not a known member'],
    ],
  },
];

describe.each(MUTATIONS)('POST $path', ({ path, good, faults }) => {
  it.each(['{', '{"a":}', 'hello', '{"a":1}}', "{'a':1}", '\u0000', '{"a":"\n"}', 'NaN', '[1,]'])(
    'answers %j as malformed JSON',
    async (text) => {
      expectProblem(await gateway.send('POST', path, { text }), 400, 'malformed_json');
    },
  );

  it('answers text that is not UTF-8 as malformed JSON', async () => {
    const text = Buffer.concat([Buffer.from('{"content":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expectProblem(await gateway.send('POST', path, { text }), 400, 'malformed_json');
  });

  it.each([
    ['a member twice', '{"a":1,"a":2}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a number no double can hold', '{"a":12345678901234567890}'],
    ['201 levels', `${'['.repeat(201)}${']'.repeat(201)}`],
  ])('refuses JSON that two readers could understand differently: %s', async (_name, text) => {
    expectProblem(await gateway.send('POST', path, { text }), 400, 'invalid_request');
  });

  it('survives JSON that nests very deep', async () => {
    expectProblem(await gateway.send('POST', path, { text: '['.repeat(60_000) }), 400, 'malformed_json');
  });

  it.each(['null', '[]', '"text"', '1', 'true'])('answers %s as no object', async (text) => {
    const answer = await gateway.send('POST', path, { text });
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.json?.['detail']).toMatch(/^the request: expected object/);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    'application/json; charset=latin1',
    '',
  ])('refuses content of type %j', async (type) => {
    const answer = await gateway.send('POST', path, { body: good, headers: { 'content-type': type } });
    expectProblem(answer, 415, 'unsupported_media_type');
  });

  it('refuses a request without a content type, with and without a body', async () => {
    expectProblem(await gateway.send('POST', path), 415, 'unsupported_media_type');
    const answer = await gateway.send('POST', path, { text: '{}', headers: { 'content-type': '' } });
    expectProblem(answer, 415, 'unsupported_media_type');
  });

  it('refuses a compressed body', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expectProblem(await gateway.send('POST', path, { body: good, headers }), 415, 'unsupported_media_type');
  });

  it('refuses a member it does not know, by name', async () => {
    const answer = await gateway.post(path, { ...good, surprise: { a: 1 } });
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.json?.['detail']).toBe('surprise: not a known member');
  });

  it.each(faults)('answers %j with %j', async (body, fault) => {
    const answer = await gateway.post(path, body);
    expectProblem(answer, 400, 'invalid_request');
    expect(String(answer.json?.['detail']).startsWith(fault)).toBe(true);
  });

  it.each([10 * MEBIBYTE, 50 * MEBIBYTE])('answers a body of %d bytes as too large', async (bytes) => {
    const answer = await gateway.send('POST', path, { body: { content: 'x'.repeat(bytes) } });
    expectProblem(answer, 413, 'body_too_large');
  });

  it.each(['', 'x'.repeat(256), 'tab\there', 'é'])('refuses %j as an Idempotency-Key', async (key) => {
    const answer = await gateway.post(path, good, { 'idempotency-key': key });
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.json?.['detail']).toMatch(/^Idempotency-Key: /);
  });
});

it('answers an empty body as malformed JSON where a body is needed', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const path of ['/v1/sessions', '/v1/sessions/known/messages', '/v1/approvals/ap_1/decisions']) {
    expectProblem(await gateway.send('POST', path, { headers }), 400, 'malformed_json');
    expectProblem(await gateway.send('POST', path, { text: '', headers }), 400, 'malformed_json');
  }
});

it('takes at most 64 KiB where no message is sent', async () => {
  const body = { reason: 'x'.repeat(70_000) };
  expectProblem(await gateway.post('/v1/sessions/known/cancel', body), 413, 'body_too_large');
  expectProblem(await gateway.post('/v1/approvals/ap_1/decisions', body), 413, 'body_too_large');
});

it.each([
  ['one byte more than 1 MiB', 'x'.repeat(MEBIBYTE + 1)],
  ['more than 1 MiB in UTF-8, though not in characters', 'é'.repeat(MEBIBYTE / 2 + 1)],
  ['2 MiB', 'x'.repeat(2 * MEBIBYTE)],
])('answers a message of %s as too large', async (_name, content) => {
  expectProblem(await gateway.post('/v1/sessions', sessionBody(content)), 413, 'body_too_large');
  expectProblem(await gateway.post('/v1/sessions/known/messages', { content }), 413, 'body_too_large');
});
