import { connect, type Socket } from 'node:net';
import type { GatewayStore } from '../../../src/core/ports/gateway-store';
import type { StreamSettings } from '../../../src/gateway/stream-settings';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { countSubscriptions } from '../../support/gateway/count-subscriptions';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { LogWriter } from '../../support/gateway/log-writer';
import { StandInWorker } from '../../support/gateway/stand-in-worker';
import { StreamReader } from '../../support/gateway/stream-reader';
import { waitUntil } from '../../support/wait-until';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();
const MEBIBYTE = 1_048_576;
const STREAM = '/v1/sessions/mine/stream';
const APPROVALS = '/v1/approvals/stream';

let gateway: GatewayUnderTest;
let log: LogWriter;
let subscriptions: () => number;
/** Entries that were read from the store for streams, by the position asked for. */
let handedOut: number[];
const sockets: Socket[] = [];

async function start(streams: Partial<StreamSettings> = {}): Promise<void> {
  handedOut = [];
  gateway = await openGatewayUnderTest({ folder: newFolder(), streams, wrapStore: counting });
  subscriptions = countSubscriptions(gateway.feed);
  const body = { agent: 'workspace', message: { content: 'hello' }, sessionId: 'mine' };
  expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
  log = await LogWriter.open(gateway.store, gateway.feed, 'mine');
}

function counting(store: GatewayStore): GatewayStore {
  return {
    ...store,
    listEntries: async (...asked) => {
      const entries = await store.listEntries(...asked);
      handedOut.push(entries?.length ?? 0);
      return entries;
    },
  };
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) {
    socket.destroy();
  }
  // Ends only when every stream has ended.
  await gateway.close();
  const faults = gateway.logLines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
  expect(faults).toEqual(faults.map(() => expect.objectContaining({ code: 'too_many_streams' })));
});

/** Asks for a stream and never reads a byte of it. */
function neverRead(path: string): Socket {
  const socket = connect(gateway.port, '127.0.0.1', () => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`);
  });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(MEBIBYTE, 'x'));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('a reader that takes nothing', () => {
  it('costs no more than a page of the log and what connections hold, and nobody else waits for it', async () => {
    await start();
    await log.write(texts(40));
    neverRead(STREAM);
    await waitUntil(
      () => handedOut.length,
      (pages) => pages > 0,
    );
    const reader = await StreamReader.open(gateway.port, STREAM);
    await reader.until(() => reader.seqs().length === 41);
    // The other reader has been handed every entry; beyond that there is what the first one could not take.
    expect(sum(handedOut) - 41).toBeLessThan(30);
    // What waits for a reader in pages is never more than one large entry.
    expect(Math.max(...handedOut)).toBe(1);
    expect(reader.all('entry').map(({ data }) => String((data as { content?: string }).content ?? '').length)).toEqual([
      0,
      ...texts(40).map(() => MEBIBYTE),
    ]);
  });

  it('is told no fragments beyond a megabyte, but every entry and what runs, once it takes again', async () => {
    await start();
    const reader = await StreamReader.open(gateway.port, STREAM);
    await reader.until(() => reader.seqs().length === 1);
    reader.pause();
    const before = process.memoryUsage().arrayBuffers;
    const status = { turn: 1, round: 1, maxRounds: 5, tool: null, text: 'Asking the model' };
    for (let index = 0; index < 100_000; index += 1) {
      const chunk = { type: 'text-delta' as const, index: 0, text: 'x'.repeat(1_000) };
      log.say({ type: 'chunk', turn: 1, round: 1, attempt: 1, index, chunk });
      if (index % 1_000 === 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    log.say({ type: 'step', step: 't1.r1', status });
    await log.write(3);
    log.hint();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MEBIBYTE);
    reader.resume();
    await reader.until(() => reader.seqs().length === 4);
    await reader.until(({ events }) => events.some(({ event }) => event === 'status'));
    expect(reader.seqs()).toEqual([1, 2, 3, 4]);
    expect(reader.all('status')).toEqual([status]);
    expect(reader.all('chunk').length).toBeLessThan(90_000);
  });

  it('is cut in the end', async () => {
    await start({ stallTimeoutMs: 300 });
    await log.write(texts(40));
    const socket = neverRead(STREAM);
    await waitUntil(subscriptions, (count) => count === 1);
    await waitUntil(subscriptions, (count) => count === 0);
    let bytes = 0;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (data) => {
      bytes += data.length;
    });
    await closed;
    expect(bytes).toBeLessThan(40 * MEBIBYTE);
  });

  it('is not cut while there is nothing to take', async () => {
    await start({ stallTimeoutMs: 100, heartbeatEveryMs: 60_000 });
    const reader = await StreamReader.open(gateway.port, STREAM);
    await reader.until(() => reader.seqs().length === 1);
    // Far more than the time after which a reader with something to take would be gone.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await log.write(1);
    log.hint();
    await reader.until(() => reader.seqs().length === 2);
  });
});

describe('a reader that keeps up', () => {
  it('is not cut, however many questions are asked at once', async () => {
    await start({ lookEveryMs: 600_000 });
    const reader = await StreamReader.open(gateway.port, APPROVALS);
    await reader.until(({ events }) => events.length === 1);
    for (let count = 0; count < 30; count += 1) {
      const body = { agent: 'workspace', message: { content: 'hello' }, sessionId: `asks-${count}` };
      await gateway.post('/v1/sessions', body);
      await new StandInWorker(gateway.store, `asks-${count}`).ask({ preview: 'x'.repeat(200_000) });
    }
    log.hint();
    await reader.until(() => reader.all('approval').length === 30);
  });
});

describe('a reader that goes away', () => {
  it('leaves no listener and no timer behind', async () => {
    await start({ lookEveryMs: 600_000 });
    const timersBefore = timers();
    for (let time = 0; time < 20; time += 1) {
      const readers = [await StreamReader.open(gateway.port, STREAM), await StreamReader.open(gateway.port, APPROVALS)];
      expect(subscriptions()).toBe(2);
      for (const reader of readers) {
        await reader.leave();
      }
      await waitUntil(subscriptions, (count) => count === 0);
    }
    await waitUntil(timers, (count) => count <= timersBefore);
  });

  it('also when it is gone before the stream begins', async () => {
    await start({ maxStreams: 2 });
    for (let time = 0; time < 50; time += 1) {
      const socket = neverRead(time % 2 === 0 ? STREAM : APPROVALS);
      await new Promise<void>((resolve) => {
        socket.once('connect', () => setImmediate(() => socket.resetAndDestroy()));
        socket.once('close', () => resolve());
      });
    }
    await waitUntil(subscriptions, (count) => count === 0);
    const readers = [await StreamReader.open(gateway.port, STREAM), await StreamReader.open(gateway.port, APPROVALS)];
    for (const reader of readers) {
      await reader.until(({ events }) => events.length > 0);
    }
  });

  it('makes room for another one, where no more than so many are served', async () => {
    await start({ maxStreams: 3 });
    const readers = [
      await StreamReader.open(gateway.port, STREAM),
      await StreamReader.open(gateway.port, STREAM),
      await StreamReader.open(gateway.port, APPROVALS),
    ];
    for (const path of [STREAM, APPROVALS]) {
      expectProblem(await gateway.get(path), 503, 'too_many_streams');
    }
    expect((await gateway.get('/v1/sessions/mine')).status).toBe(200);
    await readers[1]?.leave();
    await waitUntil(subscriptions, (count) => count === 2);
    const next = await StreamReader.open(gateway.port, APPROVALS);
    await next.until(({ events }) => events.length === 1);
  });

  it('does not count a request that was refused', async () => {
    await start({ maxStreams: 1 });
    for (const path of ['/v1/sessions/nobody/stream', `${STREAM}?after=9`, `${STREAM}?after=x`]) {
      expect((await gateway.get(path)).status).toBeGreaterThanOrEqual(400);
      expect((await gateway.send('HEAD', path)).status).toBeGreaterThanOrEqual(400);
    }
    await gateway.send('HEAD', STREAM);
    await StreamReader.open(gateway.port, STREAM);
  });
});

describe('a gateway that closes', () => {
  it('ends every stream at once, cleanly for readers that keep up', async () => {
    await start();
    await log.write(texts(40));
    const stuck = neverRead(STREAM);
    const readers = [
      await StreamReader.open(gateway.port, `${STREAM}?after=41`),
      await StreamReader.open(gateway.port, APPROVALS),
    ];
    for (const reader of readers) {
      await reader.until(({ events }) => events.length === 1);
    }
    await waitUntil(subscriptions, (count) => count === 3);
    await gateway.close();
    for (const reader of readers) {
      await reader.ended;
      expect(reader.isComplete).toBe(true);
    }
    expect(subscriptions()).toBe(0);
    stuck.resume();
    await new Promise((resolve) => stuck.once('close', resolve));
    await start();
  });
});
