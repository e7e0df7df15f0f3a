import { describeBothStores } from './both-stores';
import { AT, approve, begin, newKey, question, reply, requested, sessionInTurn, settle } from './session-under-test';

describeBothStores('approvals of tenants', (database) => {
  const store = () => database().store;

  it('stay apart, also under the same ids', async () => {
    const mine = await sessionInTurn(store(), newKey('tenant-a'));
    const theirs = await sessionInTurn(store(), { ...newKey('tenant-b'), sessionId: mine.sessionId });
    const approval = question(mine);
    for (const fence of [mine, theirs]) {
      await store().append(fence, { entries: [reply(1, 1), requested(approval)], approvals: [approval], at: AT });
    }
    await store().publishAgents([{ name: 'a', digest: '1', definition: {} }], 'tenant-a');
    const said = { decision: 'reject', principal: 'local', provenance: 'authenticated', decidedAt: AT } as const;
    const { approvalId } = approval;
    await store().putDecision({ tenant: 'tenant-a', approvalId, decisionId: 'd-1', ...said });
    expect(await store().settleApproval(theirs, settle(approval))).toMatchObject({ approval: 'pending' });
    expect(await store().readDecisionOutcome('tenant-b', approvalId, 'd-1')).toBeUndefined();
    await store().settleApproval(theirs, settle(approval, { candidates: [approve()] }));
    expect(await store().settleApproval(mine, settle(approval))).toMatchObject({ approval: 'rejected' });
    expect(await store().readDecisionOutcome('tenant-a', approvalId, 'd-1')).toBe('taken');
    expect(await store().readDecisionOutcome('tenant-b', approvalId, 'd-1')).toBeUndefined();
    const status = async (tenant: string) => (await store().readApproval(tenant, approvalId))?.status;
    expect([await status('tenant-a'), await status('tenant-b'), await status('tenant-c')]).toEqual([
      'rejected',
      'approved',
      undefined,
    ]);
    const { approvals: listed } = await store().listApprovals('tenant-b', { limit: 100 });
    expect(listed.map((record) => [record.status, record.decisions.length])).toEqual([['approved', 1]]);
    expect((await store().beginTry(theirs, begin(approval))).status).toBe('begun');
    expect((await store().readApproval('tenant-a', approvalId))?.usedBy).toBeUndefined();
    expect(await store().listAgents('tenant-b')).toEqual([]);
    const conflict = await store().putDecision({ tenant: 'tenant-c', approvalId, decisionId: 'd-2', ...said });
    expect(conflict).toEqual({ status: 'conflict', code: 'unknown_approval' });
  });
});
