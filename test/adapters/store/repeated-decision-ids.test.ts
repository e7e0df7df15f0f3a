import { decisionIdOf } from '../../../src/digests/derived-ids';
import { describeBothStores } from './both-stores';
import { ARGUMENTS_DIGEST, approve, entriesOf, sessionWithQuestion, settle } from './session-under-test';

const FORGED = { decision: 'approve', argumentsDigest: 'F'.repeat(43) };

describeBothStores('a decision whose id was used before', (database) => {
  const store = () => database().store;

  it('is its own decision when it says something else, in the same settlement or a later one', async () => {
    for (const together of [true, false]) {
      const { fence, approval } = await sessionWithQuestion(store());
      const forged = { ...FORGED, decisionId: 'x' };
      const genuine = approve({ decisionId: 'x' });
      const first = await store().settleApproval(
        fence,
        settle(approval, { candidates: together ? [forged, genuine] : [forged] }),
      );
      expect(first.approval).toBe(together ? 'approved' : 'pending');
      const again = await store().settleApproval(fence, settle(approval, { candidates: [forged, genuine] }));
      expect(again).toMatchObject({ approval: 'approved', decision: 'approve' });
      expect(await entriesOf(store(), fence, 'approval.refused')).toHaveLength(1);
      const decided = await entriesOf(store(), fence, 'approval.decided');
      const { approvalId } = approval;
      const contentId = decisionIdOf({ approvalId, decision: 'approve', argumentsDigest: ARGUMENTS_DIGEST });
      expect(decided.map(({ data }) => data.decisionId)).toEqual([contentId]);
    }
  });

  it('is the same decision when it says the same, however often it comes', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const candidates = [{ ...FORGED, decisionId: 'x' }];
    for (let count = 0; count < 3; count += 1) {
      const settled = await store().settleApproval(fence, settle(approval, { candidates }));
      expect(settled).toMatchObject({ outcome: 'digest_mismatch', approval: 'pending' });
    }
    expect(await entriesOf(store(), fence, 'approval.refused')).toHaveLength(1);
  });

  it('can not take the place of a decision that has no id of its own', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const { approvalId } = approval;
    const decisionId = decisionIdOf({ approvalId, decision: 'approve', argumentsDigest: ARGUMENTS_DIGEST });
    await store().settleApproval(fence, settle(approval, { candidates: [{ ...FORGED, decisionId }] }));
    const settled = await store().settleApproval(fence, settle(approval, { candidates: [approve()] }));
    expect(settled).toMatchObject({ outcome: 'taken', approval: 'approved' });
  });
});
