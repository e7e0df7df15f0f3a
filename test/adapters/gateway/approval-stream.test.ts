import type { ApprovalRecord } from '../../../src/core/approvals';
import type { StreamSettings } from '../../../src/gateway/stream-settings';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { countSubscriptions } from '../../support/gateway/count-subscriptions';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { StandInWorker } from '../../support/gateway/stand-in-worker';
import { StreamReader } from '../../support/gateway/stream-reader';
import { waitUntil } from '../../support/wait-until';

const newFolder = temporaryFolders();
const NEVER_MS = 600_000;

let gateway: GatewayUnderTest;
let sessions = 0;
let looks: number;

async function start(streams: Partial<StreamSettings>): Promise<void> {
  looks = 0;
  gateway = await openGatewayUnderTest({
    folder: newFolder(),
    streams,
    wrapStore: (store) => ({
      ...store,
      listApprovalStatuses: async (tenant, since) => {
        const statuses = await store.listApprovalStatuses(tenant, since);
        looks += 1;
        return statuses;
      },
    }),
  });
}

afterEach(async () => {
  await gateway.close();
  const faults = gateway.logLines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
  expect(faults).toEqual(faults.map(() => expect.objectContaining({ code: 'too_many_streams' })));
});

/** A worker with a session of its own that has not asked anything yet. */
async function newWorker(): Promise<StandInWorker> {
  sessions += 1;
  const sessionId = `s${sessions}`;
  const body = { agent: 'workspace', message: { content: 'write a.txt: hello' }, sessionId };
  expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
  return new StandInWorker(gateway.store, sessionId);
}

async function listen(): Promise<StreamReader> {
  const reader = await StreamReader.open(gateway.port, '/v1/approvals/stream');
  return reader.until(({ events }) => events.length === 1);
}

/** What a reader was told, as pairs of id and status. */
const told = (reader: StreamReader) => reader.all('approval').map(({ approvalId, status }) => [approvalId, status]);

async function untilTold(reader: StreamReader, { approvalId }: ApprovalRecord, status: string): Promise<void> {
  await reader.until(() => told(reader).some(([id, its]) => id === approvalId && its === status));
}

const hint = () => gateway.feed.publish({ tenant: 'default' as never, sessionId: 's' as never, type: 'committed' });

async function approve({ approvalId, argumentsDigest }: ApprovalRecord): Promise<void> {
  const stored = await gateway.store.putDecision({
    ...{ tenant: 'default', approvalId, decisionId: 'd1', decision: 'approve', argumentsDigest },
    ...{ principal: 'somebody else', provenance: 'authenticated', decidedAt: new Date().toISOString() },
  });
  expect(stored.status).toBe('created');
}

describe('what listeners are told', () => {
  beforeEach(() => start({ lookEveryMs: 20 }));

  it('says hello, and then each question that is asked, whole', async () => {
    gateway.nowMs = Date.now();
    const reader = await listen();
    expect(reader.events).toEqual([
      { event: 'hello', id: undefined, data: { serverTime: new Date(gateway.nowMs).toISOString() } },
    ]);
    const question = await (await newWorker()).ask();
    await untilTold(reader, question, 'pending');
    const { json } = await gateway.get(`/v1/approvals/${question.approvalId}`);
    expect(reader.all('approval')).toEqual([json]);
  });

  it('says nothing of what was there before', async () => {
    const worker = await newWorker();
    const old = await worker.ask();
    await approve(old);
    await worker.settle(old.approvalId);
    await (await newWorker()).ask();
    const reader = await listen();
    const question = await (await newWorker()).ask();
    await untilTold(reader, question, 'pending');
    expect(told(reader)).toEqual([[question.approvalId, 'pending']]);
  });

  it('tells every listener, also of a decision that was taken elsewhere', async () => {
    const readers = [await listen(), await listen()];
    const worker = await newWorker();
    const question = await worker.ask();
    for (const reader of readers) {
      await untilTold(reader, question, 'pending');
    }
    await approve(question);
    await worker.settle(question.approvalId);
    for (const reader of readers) {
      await untilTold(reader, question, 'approved');
      expect(reader.all('approval').at(-1)).toMatchObject({
        decisions: [{ decisionId: 'd1', outcome: 'taken', principal: 'somebody else' }],
      });
      expect(told(reader)).toEqual([
        [question.approvalId, 'pending'],
        [question.approvalId, 'approved'],
      ]);
    }
  });

  it('tells of questions that expired, were withdrawn with their turn, or were replaced', async () => {
    const workers = [await newWorker(), await newWorker(), await newWorker(), await newWorker()] as const;
    const questions = [
      await workers[0].ask({ expiresAt: new Date(Date.now() - 1_000).toISOString() }),
      await workers[1].ask(),
      await workers[2].ask(),
      await workers[3].ask(),
    ] as const;
    await approve(questions[3]);
    await workers[3].settle(questions[3].approvalId);
    const reader = await listen();
    await workers[0].settle(questions[0].approvalId, { expiredAt: new Date().toISOString() });
    await untilTold(reader, questions[0], 'expired');
    await workers[1].endTurn('cancelled');
    await untilTold(reader, questions[1], 'cancelled');
    const next = await workers[2].supersede(questions[2]);
    await untilTold(reader, questions[2], 'superseded');
    await untilTold(reader, next, 'pending');
    const nextOfApproved = await workers[3].supersede(questions[3]);
    await untilTold(reader, questions[3], 'superseded');
    await untilTold(reader, nextOfApproved, 'pending');
  });

  it('tells of the answer to a question that was asked long ago', async () => {
    const worker = await newWorker();
    const question = await worker.ask();
    gateway.nowMs = Date.now() + 3_600_000;
    const reader = await listen();
    await approve(question);
    await worker.settle(question.approvalId);
    await untilTold(reader, question, 'approved');
  });

  it('tells that a question was replaced which was approved long before', async () => {
    const worker = await newWorker();
    const question = await worker.ask();
    await approve(question);
    await worker.settle(question.approvalId);
    // An hour later, as far as the gateway knows, nothing was asked lately.
    gateway.nowMs = Date.now() + 3_600_000;
    const reader = await listen();
    const next = await worker.supersede(question);
    await untilTold(reader, next, 'pending');
    expect(told(reader)).toEqual([
      [question.approvalId, 'superseded'],
      [next.approvalId, 'pending'],
    ]);
  });

  it('does not tell again of questions that only grew old', async () => {
    const reader = await listen();
    const worker = await newWorker();
    const question = await worker.ask();
    await approve(question);
    await worker.settle(question.approvalId);
    await untilTold(reader, question, 'approved');
    const count = told(reader).length;
    gateway.nowMs = Date.now() + 3_600_000;
    const after = looks + 2;
    await waitUntil(
      () => looks,
      (seen) => seen > after,
    );
    const last = await (await newWorker()).ask();
    await untilTold(reader, last, 'pending');
    expect(told(reader)).toHaveLength(count + 1);
  });

  it('misses nothing that changes while fifty questions are asked and answered', async () => {
    const reader = await listen();
    const questions: ApprovalRecord[] = [];
    for (let count = 0; count < 50; count += 1) {
      const worker = await newWorker();
      const question = await worker.ask();
      questions.push(question);
      if (count % 3 !== 0) {
        await approve(question);
        await worker.settle(question.approvalId);
      }
    }
    for (const [index, question] of questions.entries()) {
      await untilTold(reader, question, index % 3 === 0 ? 'pending' : 'approved');
    }
    const last = new Map(told(reader).map(([approvalId, status]) => [approvalId, status]));
    expect(last).toEqual(
      new Map(questions.map(({ approvalId }, index) => [approvalId, index % 3 === 0 ? 'pending' : 'approved'])),
    );
  });
});

describe('when it looks', () => {
  it('looks soon after a hint, once for many', async () => {
    await start({ lookEveryMs: NEVER_MS, gatherMs: 50 });
    const reader = await listen();
    const question = await (await newWorker()).ask();
    const before = looks;
    for (let count = 0; count < 1_000; count += 1) {
      hint();
    }
    await untilTold(reader, question, 'pending');
    expect(looks).toBe(before + 1);
  });

  it('looks also while hints never cease', async () => {
    await start({ lookEveryMs: NEVER_MS, gatherMs: 50 });
    const reader = await listen();
    const hinting = setInterval(hint, 1);
    try {
      await untilTold(reader, await (await newWorker()).ask(), 'pending');
    } finally {
      clearInterval(hinting);
    }
  });

  it('tells a listener of a question that was asked and answered between two looks, since a list may have shown it', async () => {
    await start({ lookEveryMs: NEVER_MS, gatherMs: 1 });
    const reader = await listen();
    const worker = await newWorker();
    const question = await worker.ask();
    const { json } = await gateway.get('/v1/approvals?status=pending');
    expect(json?.['approvals']).toHaveLength(1);
    await approve(question);
    await worker.settle(question.approvalId);
    hint();
    await untilTold(reader, question, 'approved');
  });

  it('looks for one listener as for many, and for none not at all', async () => {
    await start({ lookEveryMs: 10, gatherMs: 1 });
    const subscriptions = countSubscriptions(gateway.feed);
    const readers = [await listen(), await listen(), await listen()];
    expect(subscriptions()).toBe(1);
    await readers[0]?.leave();
    await readers[1]?.leave();
    const question = await (await newWorker()).ask();
    await untilTold(readers[2] as StreamReader, question, 'pending');
    expect(subscriptions()).toBe(1);
    await readers[2]?.leave();
    await waitUntil(subscriptions, (count) => count === 0);
    // A look may be under way; after it there is none, although many would be due.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = looks;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(looks).toBe(before);
  });

  it('begins anew for whoever listens next', async () => {
    await start({ lookEveryMs: 10 });
    const first = await listen();
    await first.leave();
    const worker = await newWorker();
    const asked = await worker.ask();
    const second = await listen();
    await approve(asked);
    await worker.settle(asked.approvalId);
    await untilTold(second, asked, 'approved');
    expect(told(second)).toEqual([[asked.approvalId, 'approved']]);
  });

  it('cuts a listener that takes nothing, since it could only catch up by reading the list again', async () => {
    await start({ lookEveryMs: 10, maxUnsentBytes: 1_000, maxStreams: 2 });
    const [stuck, reader] = [await listen(), await listen()];
    stuck.pause();
    // What connections hold by themselves has to be full first.
    for (let isCut = false; !isCut; ) {
      const question = await (await newWorker()).ask({ preview: 'x'.repeat(2_000_000) });
      await untilTold(reader, question, 'pending');
      // There is room for another stream when one has been cut.
      const another = await listen().catch(() => undefined);
      isCut = another !== undefined;
      await another?.leave();
    }
    stuck.resume();
    await stuck.ended;
    expect(told(stuck).length).toBeLessThan(told(reader).length);
  });
});
