import type { ApprovalRecord, NewApproval } from '../../../src/core/approvals';
import type { ApprovalPlace } from '../../../src/core/ports/gateway-store';
import type { RunFence } from '../../../src/core/ports/worker-store';
import { describeBothStores } from './both-stores';
import { AT, approve, newKey, question, reply, requested, sessionInTurn, settle } from './session-under-test';

describeBothStores('listApprovals', (database) => {
  const store = () => database().store;

  it('lists the questions of one round in the order of their calls', async () => {
    const { tenant } = await roundOf(12, { tenant: 'one-round' });
    expect(await callsOf(tenant)).toEqual(Array.from({ length: 12 }, (_, index) => `t1-r1-c${index + 1}`));
    const [session] = (await listed(tenant)).map(({ sessionId }) => sessionId);
    const view = await store().readSession({ tenant, sessionId: session } as RunFence);
    expect(view?.openApprovals).toEqual((await listed(tenant)).map(({ approvalId }) => approvalId));
  });

  it('lists what was asked first in front, whichever was written first', async () => {
    const late = await roundOf(1, { tenant: 'by-time', requestedAt: '2026-03-01T10:00:00.002Z' });
    const early = await roundOf(1, { tenant: 'by-time', requestedAt: '2026-03-01T10:00:00.001Z' });
    expect((await listed('by-time')).map(({ sessionId }) => sessionId)).toEqual([early.sessionId, late.sessionId]);
  });

  it('keeps sessions that asked in the same millisecond apart, each in its own order', async () => {
    const tenant = 'same-time';
    const fences = [await sessionInTurn(store(), newKey(tenant)), await sessionInTurn(store(), newKey(tenant))];
    for (const ordinal of [2, 1, 3]) {
      for (const fence of fences) {
        const approval = question(fence, { ordinal });
        await store().append(fence, { entries: [requested(approval)], approvals: [approval], at: AT });
      }
    }
    const sessions = fences.map(({ sessionId }) => sessionId).sort();
    const expected = sessions.flatMap((session) => ['c2', 'c1', 'c3'].map((call) => `${session} t1-r1-${call}`));
    for (const limit of [1, 2, 4, 500]) {
      const { approvals } = await chain(tenant, limit);
      expect(approvals.map(({ sessionId, callId }) => `${sessionId} ${callId}`)).toEqual(expected);
    }
  });

  it('shows each of 600 questions exactly once in a chain of pages', async () => {
    const tenant = 'many';
    for (let session = 0; session < 10; session += 1) {
      await roundOf(60, { tenant, requestedAt: `2026-03-01T10:00:00.00${session % 4}Z` });
    }
    const { approvals, pages } = await chain(tenant, 500, 'pending');
    expect(pages).toEqual([500, 100]);
    expect(new Set(approvals.map(({ approvalId }) => approvalId)).size).toBe(600);
    const places = approvals.map(({ requestedAt, sessionId, callId }) => {
      return `${requestedAt} ${sessionId} ${(callId.split('-c')[1] ?? '').padStart(2, '0')}`;
    });
    expect(places).toEqual([...places].sort());
    expect((await chain(tenant, 7)).approvals).toEqual(approvals);
  });

  it('has no questions behind the highest place a client may name', async () => {
    await roundOf(1, { tenant: 'far-place' });
    const after = { requestedAt: AT, sessionId: 'zzz', askedSeq: Number.MAX_SAFE_INTEGER };
    expect((await store().listApprovals('far-place', { limit: 1, after })).approvals).toEqual([]);
  });

  it('ends on a full last page', async () => {
    await roundOf(4, { tenant: 'full-page' });
    expect((await chain('full-page', 2)).pages).toEqual([2, 2]);
    expect((await chain('nobody', 2)).pages).toEqual([0]);
  });

  it('hides nothing when questions are decided between two pages', async () => {
    const tenant = 'decided-meanwhile';
    const fence = await roundOf(5, { tenant });
    const first = await store().listApprovals(tenant, { status: 'pending', limit: 2 });
    for (const { approvalId } of first.approvals) {
      await store().settleApproval(fence, settle({ approvalId }, { candidates: [approve()] }));
    }
    const rest = await store().listApprovals(tenant, {
      status: 'pending',
      limit: 10,
      after: first.next as ApprovalPlace,
    });
    expect(rest.approvals.map(({ callId }) => callId)).toEqual(['t1-r1-c3', 't1-r1-c4', 't1-r1-c5']);
    const approved = await store().listApprovals(tenant, { status: 'approved', limit: 10 });
    expect(approved.approvals.map(({ decisions }) => decisions.length)).toEqual([1, 1]);
  });

  it('gives a question that replaces another one the place where it was asked', async () => {
    const tenant = 'replaced';
    const fence = await roundOf(2, { tenant });
    const [first] = await listed(tenant);
    const next = question(fence, { ask: 2 });
    await store().supersedeApproval(fence, {
      approvalId: first?.approvalId ?? '',
      next,
      because: 'precondition',
      at: AT,
    });
    expect((await listed(tenant)).map(({ callId, ask }) => `${callId} ${ask}`)).toEqual([
      't1-r1-c1 1',
      't1-r1-c2 1',
      't1-r1-c1 2',
    ]);
  });

  it('ends a page at 8 MiB, and never before its first question', async () => {
    const tenant = 'large';
    const fence = await sessionInTurn(store(), newKey(tenant));
    for (const [index, mebibytes] of [3, 3, 3, 9, 1].entries()) {
      const preview = 'x'.repeat(mebibytes * 1_048_576);
      const approval = { ...question(fence, { ordinal: index + 1 }), preview };
      await store().append(fence, { entries: [requested(approval)], approvals: [approval], at: AT });
    }
    expect((await chain(tenant, 500)).pages).toEqual([2, 1, 1, 1]);
  });

  it('refuses a question that no entry asks, and writes nothing', async () => {
    const fence = await sessionInTurn(store(), newKey('unasked'));
    const append = store().append(fence, { entries: [reply(1, 1)], approvals: [question(fence)], at: AT });
    await expect(append).rejects.toMatchObject({ code: 'internal' });
    expect(await listed('unasked')).toEqual([]);
    expect((await store().readSession(fence))?.lastSeq).toBe(3);
  });

  /** A new session whose first round asks `count` questions at once. */
  async function roundOf(
    count: number,
    { tenant, requestedAt = AT }: { readonly tenant: string; readonly requestedAt?: string },
  ): Promise<RunFence> {
    const fence = await sessionInTurn(store(), newKey(tenant));
    const approvals = Array.from(
      { length: count },
      (_, index): NewApproval => ({ ...question(fence, { ordinal: index + 1 }), requestedAt }),
    );
    await store().append(fence, { entries: [reply(1, 1), ...approvals.map(requested)], approvals, at: AT });
    return fence;
  }

  /** Every page from the first to the last. */
  async function chain(tenant: string, limit: number, status?: 'pending') {
    const approvals: ApprovalRecord[] = [];
    const pages: number[] = [];
    let next: ApprovalPlace | null | undefined;
    while (next !== null) {
      const after = next;
      const page = await store().listApprovals(tenant, {
        limit,
        ...(status === undefined ? {} : { status }),
        ...(after === undefined ? {} : { after }),
      });
      approvals.push(...page.approvals);
      pages.push(page.approvals.length);
      next = page.next;
    }
    return { approvals, pages };
  }

  async function listed(tenant: string): Promise<readonly ApprovalRecord[]> {
    return (await store().listApprovals(tenant, { limit: 500 })).approvals;
  }

  async function callsOf(tenant: string): Promise<readonly string[]> {
    return (await listed(tenant)).map(({ callId }) => callId);
  }
});
