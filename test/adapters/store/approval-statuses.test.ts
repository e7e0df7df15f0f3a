import { describeBothStores } from './both-stores';
import { approve, newKey, question, reply, requested, sessionInTurn, settle } from './session-under-test';

describeBothStores('listApprovalStatuses', (database) => {
  const store = () => database().store;

  it('knows what is pending, however old, and what was asked lately, whatever became of it', async () => {
    const at = (minute: number) => `2026-03-01T10:0${minute}:00.000Z`;
    const tenant = 'statuses';
    const fence = await sessionInTurn(store(), newKey(tenant));
    const approvals = [0, 1, 2, 3].map((minute) => ({
      ...question(fence, { ordinal: minute + 1 }),
      requestedAt: at(minute),
    }));
    const batch = [reply(1, 1), ...approvals.map(requested)] as const;
    await store().append(fence, { entries: [...batch], approvals, at: at(4) });
    const [old, oldAnswered, late, lateAnswered] = approvals.map(({ approvalId }) => approvalId);
    for (const approval of [approvals[1], approvals[3]].flatMap((found) => found ?? [])) {
      await store().settleApproval(fence, settle(approval, { candidates: [approve()] }));
    }
    const since = async (askedSince: string) =>
      new Map((await store().listApprovalStatuses(tenant, askedSince)).map((row) => [row.approvalId, row.status]));
    const pending = [
      [old, 'pending'],
      [late, 'pending'],
    ] as const;
    expect(await since(at(4))).toEqual(new Map(pending));
    expect(await since(at(3))).toEqual(new Map([...pending, [lateAnswered, 'approved']]));
    expect(await since(at(0))).toEqual(new Map([...pending, [oldAnswered, 'approved'], [lateAnswered, 'approved']]));
    expect(await store().listApprovalStatuses('another', at(0))).toEqual([]);
  });
});
