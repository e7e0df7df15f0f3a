import type { SessionKey } from '../../../src/core/ids';
import { describeBothStores } from './both-stores';
import {
  AT,
  ending,
  message,
  newKey,
  openedSession,
  sessionInTurn,
  sessionWithQuestion,
  settle,
} from './session-under-test';

describeBothStores('the sweep', (database) => {
  const store = () => database().store;

  it('gives a lease to one holder at a time, who may renew it', async () => {
    expect(await store().takeLease('sweep', 'a', 60_000)).toBe(true);
    expect(await store().takeLease('sweep', 'b', 60_000)).toBe(false);
    expect(await store().takeLease('sweep', 'a', 60_000)).toBe(true);
    expect(await store().takeLease('other', 'b', 60_000)).toBe(true);
    await database().query("update leases set until_ms = 1 where name = 'sweep'");
    expect(await store().takeLease('sweep', 'b', 60_000)).toBe(true);
    expect(await store().takeLease('sweep', 'a', 60_000)).toBe(false);
  });

  it('gives a free lease to one of many who ask at once', async () => {
    const holders = ['a', 'b', 'c', 'd'].map((holder) => store().takeLease('rush', holder, 60_000));
    expect((await Promise.all(holders)).filter(Boolean)).toHaveLength(1);
  });

  it('lists what was stored some time ago and never delivered, oldest first', async () => {
    const { fence, approval } = await sessionWithQuestion(store(), 'call');
    const { tenant, sessionId } = fence;
    await store().putMessage({ ...fence, message: message('m2'), at: AT });
    await store().putDecision({
      tenant,
      approvalId: approval.approvalId,
      decisionId: 'd-1',
      decision: 'reject',
      principal: 'local',
      provenance: 'authenticated',
      decidedAt: AT,
    });
    const mine = async (olderThanMs: number) =>
      (await store().listUndelivered(olderThanMs, 1_000)).filter((row) => row.sessionId === sessionId);
    expect(await mine(60_000)).toEqual([]);
    await database().query(`update inbox set stored_ms = stored_ms - 120000 where session = '${sessionId}'`);
    const row = { tenant, sessionId, agent: 'workspace' };
    expect(await mine(60_000)).toEqual([
      { ...row, kind: 'message', id: 'm2' },
      { ...row, kind: 'decision', id: 'd-1', approvalId: approval.approvalId },
    ]);
    await store().markDelivered(fence, 'message', 'm2');
    await store().markDelivered(fence, 'message', 'm2');
    expect((await mine(60_000)).map(({ id }) => id)).toEqual(['d-1']);
    await store().settleApproval(fence, settle(approval));
    expect(await mine(60_000)).toEqual([]);
  });

  it('lists sessions that stand still with work to do', async () => {
    const waiting = newKey();
    await store().createSession({ ...waiting, agent: 'workspace', message: message('m1'), at: AT });
    const inTurn = await sessionInTurn(store());
    const idle = await sessionInTurn(store());
    await store().endTurn(idle, ending(1));
    const stopped = await sessionInTurn(store());
    await store().markStopped(stopped);
    const all = [waiting, inTurn, idle, stopped];
    expect(await unfinished(all, 60_000)).toEqual([]);
    await database().query('update sessions set changed_ms = changed_ms - 120000');
    expect(await unfinished(all, 60_000)).toEqual(
      byKey([
        { ...keyOnly(waiting), agent: 'workspace', untakenMessageId: 'm1' },
        { ...keyOnly(inTurn), agent: 'workspace' },
      ]),
    );
    await store().putMessage({ ...stopped, message: message('m2'), at: AT });
    await database().query('update sessions set changed_ms = changed_ms - 120000');
    expect(await unfinished([stopped], 60_000)).toEqual([
      { ...keyOnly(stopped), agent: 'workspace', untakenMessageId: 'm2' },
    ]);
  });

  it('pages through them by key', async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => openedSession(store(), newKey('paging'))));
    await database().query('update sessions set changed_ms = changed_ms - 120000');
    const seen: string[] = [];
    let after = { ...newKey('paging'), sessionId: '0' } as SessionKey;
    for (;;) {
      const [next] = await store().listUnfinished(60_000, 1, after);
      if (next?.tenant !== 'paging') {
        break;
      }
      seen.push(next.sessionId);
      after = next;
    }
    expect(seen).toEqual(sessions.map(({ sessionId }) => String(sessionId)).sort());
  });

  async function unfinished(keys: readonly SessionKey[], olderThanMs: number) {
    const ids = keys.map(({ sessionId }) => sessionId);
    const rows = await store().listUnfinished(olderThanMs, 10_000);
    return byKey(rows.filter(({ sessionId }) => ids.includes(sessionId)));
  }

  function byKey<Row extends SessionKey>(rows: readonly Row[]): readonly Row[] {
    return [...rows].sort((left, right) => (left.sessionId < right.sessionId ? -1 : 1));
  }

  function keyOnly({ tenant, sessionId }: SessionKey): SessionKey {
    return { tenant, sessionId };
  }
});
