import { verifyChain } from '../../../src/digests/verify-chain';
import { describeBothStores, readChain } from './both-stores';
import {
  AT,
  codeOf,
  logOf,
  message,
  opening,
  question,
  reply,
  requested,
  result,
  sessionInTurn,
} from './session-under-test';

describeBothStores('append', (database) => {
  const store = () => database().store;

  it('writes a batch under contiguous sequences with a chain of digests', async () => {
    const fence = await sessionInTurn(store());
    const appended = await store().append(fence, { entries: [reply(1, 1), result(1, 1, 1)], at: AT });
    expect(appended.status).toBe('written');
    expect('entries' in appended && appended.entries.map(({ seq, batch, key }) => [seq, batch, key])).toEqual([
      [4, 4, 't1.r1.reply'],
      [5, 4, 't1.r1.c1.result'],
    ]);
    const chain = await readChain(database(), fence.tenant, fence.sessionId);
    expect(chain.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(verifyChain(chain)).toBeUndefined();
    expect(appended.last[0]).toBe(5);
    expect(chain[4]?.digest.startsWith(appended.last[1])).toBe(true);
  });

  it('gives back what it was given', async () => {
    const fence = await sessionInTurn(store());
    const text = `NUL \u0000, emoji \u{1f600}, quotes "'\\, ${'x'.repeat(1_048_576)}`;
    const sent = reply(1, 1, [], text);
    const output = JSON.parse('{"z":1,"__proto__":{"polluted":"\\u0000"},"a":2}');
    await store().append(fence, { entries: [sent, result(1, 1, 1, { output })], at: AT });
    const [read, readOdd] = (await logOf(store(), fence)).slice(-2);
    expect(read?.data).toEqual(sent.data);
    expect(JSON.stringify(readOdd?.data)).toContain('{"z":1,"__proto__":{"polluted":"\\u0000"},"a":2}');
    expect(await store().readEntry(fence, 't1.r1.reply')).toEqual(read);
  });

  it('writes nothing at all when the first key is there, and returns that batch', async () => {
    const fence = await sessionInTurn(store());
    const first = await store().append(fence, { entries: [reply(1, 1, [], 'first'), result(1, 1, 1)], at: AT });
    const before = await tableCounts(fence.sessionId);
    await store().putMessage({ ...fence, message: message('m2'), at: AT });
    const approval = question(fence, { ordinal: 2 });
    const again = await store().append(fence, {
      entries: [reply(1, 1, [], 'second'), requested(approval)],
      approvals: [approval],
      blobs: [{ blobId: 'b1', bytes: Buffer.from('x') }],
      takes: ['m2'],
      at: AT,
    });
    expect(again).toEqual({ ...first, status: 'existing' });
    expect(await tableCounts(fence.sessionId)).toEqual(before);
    expect(await store().readApproval(fence.tenant, approval.approvalId)).toBeUndefined();
    expect(await store().readBlob(fence, 'b1')).toBeUndefined();
    expect((await store().readSession(fence))?.status).toBe('running');
    expect(await untaken(fence.sessionId)).toEqual(['m2']);
  });

  it('writes nothing at all when one part can not be written', async () => {
    const fence = await sessionInTurn(store());
    const before = await tableCounts(fence.sessionId);
    const approval = question(fence);
    const batch = { entries: [reply(1, 1), requested(approval)], at: AT } as const;
    const twice = { ...batch, approvals: [approval, approval] };
    expect(await codeOf(store().append(fence, twice))).toBe('log_conflict');
    expect(await tableCounts(fence.sessionId)).toEqual(before);
    expect((await store().append(fence, { ...batch, approvals: [approval] })).status).toBe('written');
  });

  it('writes questions, notifications and blobs with their batch', async () => {
    const fence = await sessionInTurn(store());
    const approval = question(fence);
    const bytes = Buffer.from([0, 1, 254, 255]);
    await store().append(fence, {
      entries: [reply(1, 1), requested(approval)],
      approvals: [approval],
      blobs: [{ blobId: 'b1', bytes }],
      at: AT,
    });
    const record = await store().readApproval(fence.tenant, approval.approvalId);
    const { grantUseMs: _, ...shown } = approval;
    expect(JSON.stringify(record?.arguments)).toBe(JSON.stringify(approval.arguments));
    expect(record).toEqual({ ...shown, sessionId: fence.sessionId, status: 'pending', decisions: [] });
    expect(await store().readBlob(fence, 'b1')).toEqual(bytes);
    const outbox = await database().query(`select seq, type from outbox where session = '${fence.sessionId}'`);
    expect(outbox).toEqual([{ seq: 5, type: 'approval.requested' }]);
  });

  it('keeps the first of two replies that differ', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [reply(1, 1, [], 'first')], at: AT });
    const second = await store().append(fence, { entries: [reply(1, 1, [], 'second')], at: AT });
    expect(second.status).toBe('existing');
    expect('entries' in second && second.entries[0]?.data).toEqual(reply(1, 1, [], 'first').data);
  });

  it('refuses another content for an entry the workflow made', async () => {
    const fence = await sessionInTurn(store());
    expect(await codeOf(store().append(fence, { entries: opening(1, 'm1', 'other text'), at: AT }))).toBe(
      'log_conflict',
    );
    expect(await codeOf(store().append(fence, { entries: opening(1, 'm9'), at: AT }))).toBe('log_conflict');
    expect((await logOf(store(), fence)).length).toBe(3);
  });

  it('judges sameness by content, not by the time or the digest of an entry', async () => {
    const fence = await sessionInTurn(store());
    const later = '2027-01-01T00:00:00.000Z';
    const again = await store().append(fence, { entries: opening(1, 'm1'), at: later });
    expect(again.status).toBe('existing');
    expect('entries' in again && again.entries.map(({ at }) => at)).toEqual([AT, AT]);
  });

  it('refuses a batch of which only a later key is there', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [result(1, 1, 1)], at: AT });
    const late = store().append(fence, { entries: [reply(1, 1), result(1, 1, 1)], at: AT });
    await expect(late).rejects.toMatchObject({ code: 'log_conflict', details: { key: 't1.r1.c1.result' } });
  });

  it('refuses the same words for an entry of another place', async () => {
    const fence = await sessionInTurn(store());
    const [, started] = opening(1, 'm1');
    expect((await store().append(fence, { entries: [started], at: AT })).status).toBe('existing');
    for (const place of [{ turn: 2 }, { round: 1 }, { callId: 't1-r1-c1' }]) {
      expect(await codeOf(store().append(fence, { entries: [{ ...started, ...place }], at: AT }))).toBe('log_conflict');
    }
  });

  it('refuses data that JSON can not carry', async () => {
    const fence = await sessionInTurn(store());
    expect(await codeOf(store().append(fence, { entries: [reply(1, 1, [], 'lone \ud800')], at: AT }))).toBe(
      'not_canonical',
    );
  });

  async function tableCounts(sessionId: string): Promise<unknown> {
    const count = (table: string) => `(select count(*) from ${table} where session = '${sessionId}') as ${table}`;
    const tables = ['entries', 'approvals', 'decisions', 'outbox', 'blobs'];
    return database().query(`select ${tables.map(count).join(', ')}`);
  }

  async function untaken(sessionId: string): Promise<unknown[]> {
    const where = `session = '${sessionId}' and kind = 'message' and taken_seq is null`;
    return (await database().query(`select id from inbox where ${where} order by position`)).map(({ id }) => id);
  }
});
