import type { NewApproval } from '../../../src/core/approvals';
import type { RunFence } from '../../../src/core/ports/worker-store';
import { describeBothStores } from './both-stores';
import {
  AT,
  begin,
  codeOf,
  ending,
  entriesOf,
  question,
  requested,
  sessionWithGrant,
  sessionWithQuestion,
  settle,
} from './session-under-test';

describeBothStores('supersedeApproval', (database) => {
  const store = () => database().store;

  it('replaces an approved question by the next one, in one step', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const next = question(fence, { ask: 2 });
    const replaced = await replace(fence, approval.approvalId, next);
    expect(replaced.next).toMatchObject({ approvalId: next.approvalId, status: 'pending', ask: 2, decisions: [] });
    expect((await store().readApproval(fence.tenant, approval.approvalId))?.status).toBe('superseded');
    const asked = await entriesOf(store(), fence, 'approval.requested');
    expect(asked.at(-1)).toMatchObject({
      key: 't1.r1.c1.ask.2',
      data: { approvalId: next.approvalId, supersedes: approval.approvalId, because: 'precondition' },
    });
    expect(replaced.last[0]).toBe(asked.at(-1)?.seq);
    expect((await store().beginTry(fence, begin(approval))).status).toBe('not_granted');
  });

  it('returns the stored next question when it is repeated', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const next = question(fence, { ask: 2 });
    const first = await replace(fence, approval.approvalId, next);
    const again = await replace(fence, approval.approvalId, { ...next, expiresAt: '2030-01-01T00:00:00.000Z' });
    expect(again).toEqual(first);
    expect(await entriesOf(store(), fence, 'approval.requested')).toHaveLength(2);
  });

  it('leaves a question alone that was used, decided otherwise, or is not there', async () => {
    const used = await sessionWithGrant(store());
    await store().beginTry(used.fence, begin(used.approval));
    const next = question(used.fence, { ask: 2 });
    expect(await codeOf(replace(used.fence, used.approval.approvalId, next))).toBe('already_decided');
    const rejected = await sessionWithQuestion(store());
    await store().settleApproval(rejected.fence, settle(rejected.approval, { candidates: [{ decision: 'reject' }] }));
    const other = question(rejected.fence, { ask: 2 });
    expect(await codeOf(replace(rejected.fence, rejected.approval.approvalId, other))).toBe('already_decided');
    const withdrawn = await sessionWithQuestion(store());
    await store().settleApproval(withdrawn.fence, settle(withdrawn.approval, { withdraw: true }));
    const third = question(withdrawn.fence, { ask: 2 });
    expect(await codeOf(replace(withdrawn.fence, withdrawn.approval.approvalId, third))).toBe('cancelled');
    expect(await codeOf(replace(rejected.fence, 'ap_nowhere', other))).toBe('unknown_approval');
    expect(await store().readApproval(rejected.fence.tenant, other.approvalId)).toBeUndefined();
  });

  it('leaves a grant alone whose turn has ended', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().endTurn(fence, ending(1));
    expect(await codeOf(replace(fence, approval.approvalId, question(fence, { ask: 2 })))).toBe('superseded');
  });

  it('asks about an outcome under a record of its own', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().beginTry(fence, begin(approval));
    const outcome = question(fence, { kind: 'outcome', ask: 2 });
    await store().append(fence, { entries: [requested(outcome)], approvals: [outcome], at: AT });
    expect((await store().readApproval(fence.tenant, outcome.approvalId))?.status).toBe('pending');
    expect((await store().readApproval(fence.tenant, approval.approvalId))?.status).toBe('approved');
  });

  function replace(fence: RunFence, approvalId: string, next: NewApproval) {
    return store().supersedeApproval(fence, { approvalId, next, because: 'precondition', at: AT });
  }
});
