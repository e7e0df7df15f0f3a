import type { EntryView } from '../../../src/core/http-answers';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { LogWriter } from '../../support/gateway/log-writer';
import { StreamReader } from '../../support/gateway/stream-reader';
import { seededRandom } from '../../support/seeded-random';

const newFolder = temporaryFolders();
const STREAM = '/v1/sessions/mine/stream';

let gateway: GatewayUnderTest;
let log: LogWriter;

beforeEach(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder(), streams: { lookEveryMs: 60_000 } });
  const body = { agent: 'workspace', message: { content: 'hello' }, sessionId: 'mine' };
  expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
  log = await LogWriter.open(gateway.store, gateway.feed, 'mine');
});

afterEach(async () => {
  await gateway.close();
  expect(gateway.logLines.filter(({ level }) => level === 'error')).toEqual([]);
});

const open = (query = '', headers: Record<string, string> = {}) =>
  StreamReader.open(gateway.port, `${STREAM}${query}`, headers);

/** The log as pages show it. */
async function storedEntries(): Promise<readonly EntryView[]> {
  const { json } = await gateway.get('/v1/sessions/mine/entries');
  return json?.['entries'] as EntryView[];
}

describe('what a reader gets', () => {
  it('says hello with the time and the end of the log, then each entry as a page shows it, with its seq as id', async () => {
    gateway.nowMs = Date.UTC(2030, 0, 2, 3, 4, 5);
    await log.write(3);
    const reader = await open();
    await reader.until(({ events }) => events.length === 5);
    const [hello, ...entries] = reader.events;
    expect(hello).toEqual({
      event: 'hello',
      id: undefined,
      data: { serverTime: '2030-01-02T03:04:05.000Z', lastSeq: 4 },
    });
    const stored = await storedEntries();
    expect(entries).toEqual(stored.map((entry) => ({ event: 'entry', id: entry.seq, data: entry })));
    expect(reader.retryMs).toBe(1_000);
    await reader.leave();
  });

  it('tells every hop to keep nothing, change nothing and hold nothing back', async () => {
    const { headers } = await open();
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'transfer-encoding': 'chunked',
    });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('says an entry as soon as there is a hint', async () => {
    const reader = await open();
    await reader.until(({ events }) => events.length === 2);
    await log.write(2);
    log.hint();
    await reader.until(() => reader.seqs().length === 3);
    expect(reader.seqs()).toEqual([1, 2, 3]);
  });

  it('says text of a megabyte with line ends, in one event, unchanged', async () => {
    const text = 'a\n\ndata: b\r\nid: 7\r\u2028\u0000ä€😀'.repeat(40_000);
    await log.write([text]);
    const reader = await open();
    await reader.until(() => reader.seqs().length === 2);
    expect(reader.all('entry')[1]).toEqual((await storedEntries())[1]);
    expect(JSON.stringify(reader.all('entry')[1])).toContain(JSON.stringify(text).slice(1, -1));
  });

  it('says the same to two readers of one session', async () => {
    const readers = [await open(), await open()];
    await log.write(5);
    log.hint();
    for (const reader of readers) {
      await reader.until(() => reader.seqs().length === 6);
      expect(reader.all('entry')).toEqual(await storedEntries());
    }
  });
});

describe('where a reader goes on', () => {
  it('goes on behind every position without a gap or a double', async () => {
    await log.write(20);
    const stored = await storedEntries();
    for (let after = 0; after <= 21; after += 1) {
      const reader = await open(`?after=${after}`);
      await reader.until(() => reader.seqs().length === 21 - after);
      expect(reader.all('entry')).toEqual(stored.slice(after));
      await reader.leave();
    }
  });

  it('believes Last-Event-ID, which a browser sends when it comes back, before the address it was given first', async () => {
    await log.write(9);
    const reader = await open('?after=2', { 'last-event-id': '7' });
    await reader.until(() => reader.seqs().length === 3);
    expect(reader.seqs()).toEqual([8, 9, 10]);
  });

  it('loses and repeats nothing for a reader that is cut fifty times while the log grows', async () => {
    const random = seededRandom(20_261_130);
    const got: unknown[] = [];
    const isDone = () => got.length === 1 + 50 * 20;
    const write = async () => {
      for (let batch = 0; batch < 50; batch += 1) {
        await log.write(20);
        // Also without hints nothing may be lost, only later.
        if (random() < 0.8) {
          log.hint();
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      log.hint();
    };
    const writing = write();
    for (let cut = 0; !isDone(); cut += 1) {
      const headers = cut === 0 ? {} : { 'last-event-id': String(got.length) };
      const reader = await open('?after=0', headers);
      const enough = cut < 50 ? Math.floor(random() * 40) : Number.POSITIVE_INFINITY;
      await reader.until(() => reader.seqs().length >= enough || got.length + reader.seqs().length === 1_001);
      got.push(...reader.all('entry'));
      await reader.leave();
    }
    await writing;
    const stored: EntryView[] = [];
    for (let after = 0; after < 1_001; after = stored.length) {
      const { json } = await gateway.get(`/v1/sessions/mine/entries?after=${after}`);
      stored.push(...((json?.['entries'] ?? []) as EntryView[]));
    }
    expect(got).toEqual(stored);
  });

  it('catches up with thousands of entries for a reader that was away for long', async () => {
    await log.write(12_000);
    const reader = await open('?after=500');
    await reader.until(() => reader.seqs().length === 11_501);
    expect(reader.seqs()).toEqual(Array.from({ length: 11_501 }, (_, index) => 501 + index));
  });

  it.each([
    '?after=-1',
    '?after=x',
    '?after=1.5',
    '?after=',
    '?after=99999999999999999999',
    '?after=1&after=2',
    '?to=3',
  ])('refuses %s with 400', async (query) => {
    expectProblem(await gateway.get(`${STREAM}${query}`), 400, 'invalid_request');
  });

  it.each(['-1', 'x', '1e3', '99999999999999999999', '1, 2'])('refuses Last-Event-ID: %s with 400', async (id) => {
    expectProblem(await gateway.get(STREAM, { 'last-event-id': id }), 400, 'invalid_request');
  });

  it('refuses a position behind the end of the log before a stream begins', async () => {
    await log.write(4);
    expectProblem(await gateway.get(`${STREAM}?after=6`), 409, 'position_ahead');
    expectProblem(await gateway.get(`${STREAM}?after=2`, { 'last-event-id': '6' }), 409, 'position_ahead');
    expectProblem(await gateway.get(`${STREAM}?after=9007199254740991`), 409, 'position_ahead');
  });

  it('knows no session that is not there', async () => {
    for (const id of ['nobody', '%2e%2e', 'a%20b', 'x'.repeat(101)]) {
      expectProblem(await gateway.get(`/v1/sessions/${id}/stream`), 404, 'unknown_session');
    }
  });
});

describe('as every route', () => {
  it('refuses what a page of another site makes a browser send', async () => {
    for (const path of [STREAM, '/v1/approvals/stream']) {
      expectProblem(await gateway.get(path, { host: 'evil.example' }), 403, 'host_not_allowed');
      expectProblem(await gateway.get(path, { origin: 'http://evil.example' }), 403, 'cross_site_refused');
      expectProblem(await gateway.get(path, { 'sec-fetch-site': 'cross-site' }), 403, 'cross_site_refused');
    }
  });

  it('answers HEAD like GET, without the stream', async () => {
    for (const path of [STREAM, '/v1/approvals/stream']) {
      const answer = await gateway.send('HEAD', path, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(answer).toMatchObject({ status: 200, text: '' });
      expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      expect(answer.headers).not.toHaveProperty('content-length');
    }
    expect((await gateway.send('HEAD', '/v1/sessions/nobody/stream')).status).toBe(404);
    expect((await gateway.send('HEAD', `${STREAM}?after=7`)).status).toBe(409);
  });

  it('takes no other method', async () => {
    expectProblem(await gateway.post(STREAM, {}), 404, 'route_not_found');
  });
});

describe('what comes by the feed', () => {
  const status = (text: string) => ({ turn: 1, round: 1, maxRounds: 5, tool: null, text });
  const chunk = (attempt: number, index: number, round = 1) => ({
    type: 'chunk' as const,
    turn: 1,
    round,
    attempt,
    index,
    chunk: { type: 'text-delta' as const, index: 0, text: `${attempt}.${index}` },
  });
  const begin = () => log.say({ type: 'step', step: 't1.r1', status: status('Asking the model') });

  it('shows what was in the air before the reader came, and what follows, without id and without the names of the session', async () => {
    begin();
    log.say(chunk(1, 0));
    const reader = await open();
    log.say(chunk(1, 1));
    await reader.until(() => reader.all('chunk').length === 2);
    const { type: _, ...view } = chunk(1, 0);
    expect(reader.events.find(({ event }) => event === 'chunk')).toEqual({ event: 'chunk', id: undefined, data: view });
    expect(reader.all('chunk').map(({ index }) => index)).toEqual([0, 1]);
    expect(reader.events[0]?.event).toBe('hello');
  });

  it('says what runs when it changes, and null when nothing does', async () => {
    const reader = await open();
    begin();
    begin();
    log.say({ type: 'step', step: 't1-r1-c1', status: { ...status('Running x'), tool: 'x' } });
    log.say({ type: 'step', step: 't1-r1-c1', status: undefined });
    begin();
    log.say({ type: 'step', step: 't1.r1', status: undefined });
    await reader.until(({ events }) => events.filter(({ event }) => event === 'status').length === 4);
    expect(reader.events.filter(({ event }) => event === 'status').map(({ data }) => data)).toEqual([
      status('Asking the model'),
      { ...status('Running x'), tool: 'x' },
      status('Asking the model'),
      null,
    ]);
  });

  it('shows no fragment after the reply of its round, and none of an attempt that was given up', async () => {
    begin();
    const reader = await open();
    log.say(chunk(2, 0));
    log.say(chunk(1, 5));
    const usage = { inputTokens: 1, outputTokens: 1 };
    const data = { finish: 'stop' as const, blocks: [], calls: [], model: 'm', usage, readThrough: 1, activeMs: 1 };
    await log.append([{ key: 't1.r1.reply', type: 'model.reply', turn: 1, round: 1, data }]);
    log.hint();
    await reader.until(() => reader.seqs().length === 2);
    log.say(chunk(3, 0));
    log.say(chunk(1, 0, 2));
    await reader.until(() => reader.all('chunk').some(({ round }) => round === 2));
    expect(reader.all('chunk').map(({ attempt, round }) => [round, attempt])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('shows nothing of other sessions', async () => {
    const reader = await open();
    gateway.feed.publish({ ...log.key, sessionId: 'other' as never, ...chunk(1, 0) });
    log.say(chunk(1, 1));
    await reader.until(() => reader.all('chunk').length === 1);
    expect(reader.all('chunk')[0]).toMatchObject({ index: 1 });
  });
});
