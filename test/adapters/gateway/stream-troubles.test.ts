import { join } from 'node:path';
import Database from 'libsql';
import { HoldpointError } from '../../../src/core/errors';
import type { GatewayStore } from '../../../src/core/ports/gateway-store';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { LogWriter } from '../../support/gateway/log-writer';
import { StreamReader } from '../../support/gateway/stream-reader';

const newFolder = temporaryFolders();
const STREAM = '/v1/sessions/mine/stream';

let folder: string;
let gateway: GatewayUnderTest;
let log: LogWriter;
let isDown: boolean;

beforeEach(async () => {
  isDown = false;
  folder = newFolder();
  const streams = { lookEveryMs: 20, heartbeatEveryMs: 20 };
  gateway = await openGatewayUnderTest({ folder, streams, wrapStore: fallible });
  const body = { agent: 'workspace', message: { content: 'hello' }, sessionId: 'mine' };
  expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
  log = await LogWriter.open(gateway.store, gateway.feed, 'mine');
  await log.write(9);
});

afterEach(async () => {
  await gateway.close();
  const faults = gateway.logLines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
  expect(faults).toEqual(faults.map(() => expect.objectContaining({ code: 'store_unavailable' })));
});

/** A store that can't be asked while `isDown`. */
function fallible(store: GatewayStore): GatewayStore {
  const unlessDown = <Parameters extends readonly unknown[], Result>(
    operation: (...parameters: Parameters) => Promise<Result>,
  ) => {
    return async (...parameters: Parameters): Promise<Result> => {
      if (isDown) {
        throw new HoldpointError('store_unavailable', 'down, says the test');
      }
      return operation(...parameters);
    };
  };
  return {
    ...store,
    listEntries: unlessDown(store.listEntries),
    readSession: unlessDown(store.readSession),
    listApprovalStatuses: unlessDown(store.listApprovalStatuses),
  };
}

/** Does to the store's file what none of our own code would. */
function change(sql: string): void {
  const database = new Database(join(folder, 'holdpoint.db'));
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

const beats = (reader: StreamReader) => reader.all('heartbeat').length;

async function readAll(): Promise<StreamReader> {
  const reader = await StreamReader.open(gateway.port, STREAM);
  return reader.until(() => reader.seqs().length === 10);
}

it('looks at the store by itself, so that a hint that was lost delays an entry and loses nothing', async () => {
  const reader = await readAll();
  await log.write(3);
  await reader.until(() => reader.seqs().length === 13);
});

it('beats with the time of the gateway', async () => {
  gateway.nowMs = Date.UTC(2031, 0, 1);
  for (const path of [STREAM, '/v1/approvals/stream']) {
    const reader = await StreamReader.open(gateway.port, path);
    await reader.until(() => beats(reader) >= 2);
    expect(reader.all('heartbeat')[0]).toEqual({ serverTime: '2031-01-01T00:00:00.000Z' });
  }
});

it('keeps the connection while the store can not be asked, beats on, and goes on when it is back', async () => {
  const reader = await readAll();
  isDown = true;
  await log.write(5);
  log.hint();
  const before = beats(reader);
  await reader.until(() => beats(reader) >= before + 5);
  expect(reader.seqs()).toHaveLength(10);
  isDown = false;
  await reader.until(() => reader.seqs().length === 15);
  expect(reader.seqs()).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
});

it('answers with the outage itself when there is one before the stream begins', async () => {
  isDown = true;
  expectProblem(await gateway.get(STREAM), 503, 'store_unavailable');
  expectProblem(await gateway.get('/v1/approvals/stream'), 503, 'store_unavailable');
  isDown = false;
  await readAll();
});

it('ends the stream when the log becomes shorter, also when the reader is told nothing, and refuses to go on there', async () => {
  const reader = await readAll();
  change("delete from entries where session = 'mine' and seq > 6; update sessions set last_seq = 6");
  await reader.ended;
  expect(reader.isComplete).toBe(true);
  expectProblem(await gateway.get(STREAM, { 'last-event-id': '10' }), 409, 'position_ahead');
});

it('ends the stream of a session that is erased, and answers 410 from then on', async () => {
  const reader = await readAll();
  change("update sessions set state = 'erasing' where session = 'mine'");
  await reader.ended;
  expectProblem(await gateway.get(STREAM), 410, 'session_erased');
});

it('ends the stream of a session that is gone', async () => {
  const reader = await readAll();
  change("delete from sessions where session = 'mine'");
  await reader.ended;
  expectProblem(await gateway.get(STREAM), 404, 'unknown_session');
});
