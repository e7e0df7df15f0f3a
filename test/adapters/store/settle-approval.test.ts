import { decisionIdOf } from '../../../src/digests/derived-ids';
import { describeBothStores } from './both-stores';
import {
  AFTER,
  ARGUMENTS_DIGEST,
  AT,
  approve,
  BEFORE,
  begin,
  EXPIRES,
  ending,
  entriesOf,
  logOf,
  sessionWithQuestion,
  sessionWithQuestions,
  settle,
} from './session-under-test';

describeBothStores('settleApproval', (database) => {
  const store = () => database().store;

  it('takes an approval from a signal, and lets the call run', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const settled = await store().settleApproval(fence, settle(approval, { candidates: [approve()] }));
    const log = await logOf(store(), fence);
    expect(settled).toEqual({
      outcome: 'taken',
      approval: 'approved',
      decision: 'approve',
      answered: false,
      last: [log.length, log.at(-1)?.digest.slice(0, 22)],
    });
    const { approvalId } = approval;
    const decisionId = decisionIdOf({ approvalId, decision: 'approve', argumentsDigest: ARGUMENTS_DIGEST });
    expect(log.at(-1)).toMatchObject({
      key: `a/${approvalId}/${decisionId}`,
      type: 'approval.decided',
      callId: approval.callId,
      data: { decisionId, decision: 'approve', outcome: 'taken', principal: 'ann', provenance: 'request' },
    });
    const record = await store().readApproval(fence.tenant, approvalId);
    expect(record).toMatchObject({ status: 'approved', decisions: [{ decisionId, outcome: 'taken' }] });
    expect(record?.decisions[0]).not.toHaveProperty('decidedAt');
    expect((await store().beginTry(fence, begin(approval))).status).toBe('begun');
  });

  it('answers a rejected call in the same step, with the words of the one who refused', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const candidates = [{ decision: 'reject', comment: 'use b.txt\u0000 instead' }];
    const settled = await store().settleApproval(fence, settle(approval, { candidates }));
    expect(settled).toMatchObject({ outcome: 'taken', approval: 'rejected', decision: 'reject', answered: true });
    const [result] = await entriesOf(store(), fence, 'tool.result');
    expect(result).toMatchObject({ key: 't1.r1.c1.result', turn: 1, round: 1, callId: approval.callId });
    expect(result?.data).toMatchObject({ status: 'rejected', code: 'call_rejected', approvalId: approval.approvalId });
    expect(result?.data.text).toContain('use b.txt\u0000 instead');
    expect(result?.data.text).toContain('Do not ask for it again in this turn');
    expect(result?.data).not.toHaveProperty('try');
  });

  it('expires a question when the workflow says that its time has passed, and not before', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const early = await store().settleApproval(fence, settle(approval, { expiredAt: BEFORE }));
    expect(early).toMatchObject({ outcome: 'invalid', approval: 'pending', answered: false });
    expect(await entriesOf(store(), fence, 'approval.refused')).toHaveLength(0);
    const expired = await store().settleApproval(fence, settle(approval, { expiredAt: EXPIRES }));
    expect(expired).toMatchObject({ outcome: 'expired', approval: 'expired', decision: 'expire', answered: true });
    const [result] = await entriesOf(store(), fence, 'tool.result');
    expect(result?.data).toMatchObject({ status: 'expired', code: 'expired' });
    expect(result?.data.text).toContain(EXPIRES);
    const [decided] = await entriesOf(store(), fence, 'approval.decided');
    expect(decided?.data).toMatchObject({ decision: 'expire', principal: 'system', provenance: 'system' });
  });

  it('withdraws a question without answering its call', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const settled = await store().settleApproval(fence, settle(approval, { withdraw: true }));
    expect(settled).toMatchObject({ outcome: 'cancelled', approval: 'cancelled', answered: false });
    expect(await entriesOf(store(), fence, 'tool.result')).toHaveLength(0);
  });

  it('looks at stored decisions first, oldest first, then at signalled ones, then at the expiry', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    await put(approval.approvalId, 'd-1', { decision: 'approve', argumentsDigest: 'other' });
    await put(approval.approvalId, 'd-2', { decision: 'reject' });
    const settled = await store().settleApproval(
      fence,
      settle(approval, { candidates: [approve()], expiredAt: EXPIRES }),
    );
    expect(settled).toMatchObject({ outcome: 'taken', approval: 'rejected', decision: 'reject' });
    const record = await store().readApproval(fence.tenant, approval.approvalId);
    expect(record?.decisions.map(({ decision, outcome }) => [decision, outcome])).toEqual([
      ['approve', 'digest_mismatch'],
      ['reject', 'taken'],
      ['approve', 'already_decided'],
    ]);
    expect(await store().readDecisionOutcome(fence.tenant, approval.approvalId, 'd-1')).toBe('digest_mismatch');
    expect(await store().readDecisionOutcome(fence.tenant, approval.approvalId, 'd-2')).toBe('taken');
  });

  it('counts the time a gateway took a stored decision in, also when it is settled late', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    await put(approval.approvalId, 'd-1', approve(), BEFORE);
    const input = settle(approval, { now: AFTER, expiredAt: AFTER });
    expect(await store().settleApproval(fence, input)).toMatchObject({ outcome: 'taken', approval: 'approved' });
    const record = await store().readApproval(fence.tenant, approval.approvalId);
    expect(record?.decisions[0]).toMatchObject({ decidedAt: BEFORE, provenance: 'authenticated' });
  });

  it('counts the time of the workflow for a decision from a signal, whatever that says', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const forged = { ...approve(), decidedAt: BEFORE, provenance: 'authenticated' };
    const late = await store().settleApproval(fence, settle(approval, { candidates: [forged], now: EXPIRES }));
    expect(late).toMatchObject({ outcome: 'expired', approval: 'pending', answered: false });
    const [refused] = await entriesOf(store(), fence, 'approval.refused');
    expect(refused?.data).toMatchObject({ outcome: 'expired', provenance: 'request' });
  });

  it('refuses a stored decision that came too late', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    await put(approval.approvalId, 'd-1', approve(), EXPIRES);
    const settled = await store().settleApproval(fence, settle(approval, { now: BEFORE, expiredAt: EXPIRES }));
    expect(settled).toMatchObject({ outcome: 'expired', approval: 'expired' });
    expect(await store().readDecisionOutcome(fence.tenant, approval.approvalId, 'd-1')).toBe('expired');
  });

  it.each([
    ['approve without a digest', { decision: 'approve' }, 'digest_mismatch'],
    ['approve for other arguments', { decision: 'approve', argumentsDigest: 'E'.repeat(43) }, 'digest_mismatch'],
    ['an unknown word', { decision: 'yes' }, 'invalid'],
    ['a word of the other kind', { decision: 'run_again', argumentsDigest: ARGUMENTS_DIGEST }, 'invalid'],
    ['words nobody can store', { decision: '\ud800\u0000', comment: '\udfff', principal: '\ud800' }, 'invalid'],
  ])('keeps the hold open after %s', async (_name, candidate, outcome) => {
    const { fence, approval } = await sessionWithQuestion(store());
    const settled = await store().settleApproval(fence, settle(approval, { candidates: [candidate] }));
    expect(settled).toMatchObject({ outcome, approval: 'pending', decision: undefined, answered: false });
    expect((await entriesOf(store(), fence, 'approval.refused')).map(({ data }) => data.outcome)).toEqual([outcome]);
    const after = await store().settleApproval(fence, settle(approval, { candidates: [approve()] }));
    expect(after).toMatchObject({ outcome: 'taken', approval: 'approved' });
  });

  it('knows no approval of another session, of another form, or at all', async () => {
    const { fence } = await sessionWithQuestion(store());
    const { approval: other } = await sessionWithQuestion(store());
    for (const approvalId of [other.approvalId, 'ap_nowhere', '', 'x\u0000', '\ud800', "'; drop table entries; --"]) {
      const settled = await store().settleApproval(fence, settle({ approvalId }, { candidates: [approve()] }));
      expect(settled).toMatchObject({ outcome: 'unknown_approval', approval: undefined });
    }
    expect((await store().readApproval(fence.tenant, other.approvalId))?.status).toBe('pending');
  });

  it('gives the same decision its stored outcome and writes it once', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const input = settle(approval, { candidates: [approve(), { decision: 'reject' }], expiredAt: EXPIRES });
    const first = await store().settleApproval(fence, input);
    const log = await logOf(store(), fence);
    expect(await store().settleApproval(fence, input)).toEqual(first);
    expect(await store().settleApproval(fence, { ...input, candidates: [approve()] })).toEqual(first);
    expect(await logOf(store(), fence)).toEqual(log);
    const late = await store().settleApproval(fence, settle(approval, { candidates: [{ decision: 'reject' }] }));
    expect(late).toMatchObject({ outcome: 'already_decided', approval: 'approved', decision: 'approve' });
  });

  it('repeats an expiry without writing it twice', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const input = settle(approval, { expiredAt: EXPIRES });
    const first = await store().settleApproval(fence, input);
    expect(await store().settleApproval(fence, { ...input, expiredAt: AFTER })).toEqual(first);
    expect(await entriesOf(store(), fence, 'approval.decided')).toHaveLength(1);
  });

  it('lets nobody take the place of its own answers', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const forged = ['system-expire', 'system-withdraw'].map((decisionId) => ({ decision: 'expire', decisionId }));
    const refused = await store().settleApproval(fence, settle(approval, { candidates: forged }));
    expect(refused).toMatchObject({ outcome: 'invalid', approval: 'pending' });
    expect(await put(approval.approvalId, 'system-expire', { decision: 'reject' })).toMatchObject({
      code: 'idempotency_conflict',
    });
    const expired = await store().settleApproval(fence, settle(approval, { expiredAt: EXPIRES }));
    expect(expired).toMatchObject({ outcome: 'expired', approval: 'expired' });
  });

  it('logs the first twenty refusals one by one and only counts the others', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    await put(approval.approvalId, 'd-last', { decision: 'nonsense' });
    const candidates = Array.from({ length: 30 }, (_, index) => ({ decision: 'approve', argumentsDigest: `${index}` }));
    await store().settleApproval(fence, settle(approval, { candidates }));
    await put(approval.approvalId, 'd-later', { decision: 'nonsense' });
    await store().settleApproval(fence, settle(approval, { candidates }));
    expect(await entriesOf(store(), fence, 'approval.refused')).toHaveLength(20);
    expect((await store().readApproval(fence.tenant, approval.approvalId))?.decisions).toHaveLength(20);
    const where = `approval_id = '${approval.approvalId}'`;
    const [row] = await database().query(`select refused_count from approvals where ${where}`);
    expect(Number(row?.['refused_count'])).toBeGreaterThanOrEqual(32);
    expect(await store().readDecisionOutcome(fence.tenant, approval.approvalId, 'd-later')).toBe('invalid');
    const settled = await store().settleApproval(fence, settle(approval, { candidates: [...candidates, approve()] }));
    expect(settled).toMatchObject({ outcome: 'taken', approval: 'approved' });
  });

  it('says that nothing was decided when nobody said anything', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const settled = await store().settleApproval(fence, settle(approval));
    expect(settled).toMatchObject({ outcome: 'recorded', approval: 'pending', answered: false });
  });

  it('decides two questions of a round in any order', async () => {
    const { fence, approvals } = await sessionWithQuestions(store(), { count: 2 });
    const [first, second] = approvals;
    if (first === undefined || second === undefined) {
      throw new Error('There are two questions.');
    }
    await store().settleApproval(fence, settle(second, { candidates: [approve()] }));
    await store().settleApproval(fence, settle(first, { candidates: [{ decision: 'reject' }] }));
    expect((await store().beginTry(fence, begin(second))).status).toBe('begun');
    expect((await store().beginTry(fence, begin(first))).status).toBe('answered');
  });

  it('lets one of several decisions at the same time win', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const inputs = [approve(), { decision: 'reject' }, { decision: 'reject', principal: 'bob', comment: 'no' }];
    const all = inputs.map((candidate) => store().settleApproval(fence, settle(approval, { candidates: [candidate] })));
    const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'already_decided')).toHaveLength(2);
  });

  it('only writes the decision when the call has its result already', async () => {
    const { fence, approval } = await sessionWithQuestion(store(), 'outcome');
    await store().endTurn(fence, ending(1, { outcome: 'cancelled' }));
    const settled = await store().settleApproval(
      fence,
      settle(approval, { candidates: [{ ...approve(), decision: 'applied' }] }),
    );
    expect(settled).toMatchObject({ outcome: 'taken', approval: 'approved', decision: 'applied', answered: true });
    expect((await entriesOf(store(), fence, 'tool.result')).map(({ data }) => data.status)).toEqual(['aborted']);
  });

  describe('of a question about an outcome', () => {
    it.each([
      ['applied', 'success', 'approved'],
      ['abandon', 'outcome_unknown', 'rejected'],
    ])('answers the call after %s', async (decision, status, expected) => {
      const { fence, approval } = await begunWithQuestion();
      const candidates = [{ ...approve(), decision }];
      const settled = await store().settleApproval(fence, settle(approval, { candidates }));
      expect(settled).toMatchObject({ outcome: 'taken', approval: expected, decision, answered: true });
      expect((await entriesOf(store(), fence, 'tool.result')).map(({ data }) => data.status)).toEqual([status]);
    });

    it('answers the call as unknown when nobody says anything in time', async () => {
      const { fence, approval } = await begunWithQuestion();
      const settled = await store().settleApproval(fence, settle(approval, { expiredAt: EXPIRES }));
      expect(settled).toMatchObject({ outcome: 'expired', approval: 'expired', answered: true });
      expect((await entriesOf(store(), fence, 'tool.result')).map(({ data }) => data.status)).toEqual([
        'outcome_unknown',
      ]);
    });

    it('lets a new try begin after run_again', async () => {
      const { fence, approval } = await begunWithQuestion();
      const candidates = [{ ...approve(), decision: 'run_again' }];
      const settled = await store().settleApproval(fence, settle(approval, { candidates }));
      expect(settled).toMatchObject({ outcome: 'taken', approval: 'approved', answered: false });
      const next = await store().beginTry(fence, begin(approval, { attemptToken: 'token-2', afterTry: 1 }));
      expect(next).toMatchObject({ status: 'begun', try: 2 });
    });

    it('stays open when its turn is cancelled', async () => {
      const { fence, approval } = await begunWithQuestion();
      const settled = await store().settleApproval(fence, settle(approval, { withdraw: true }));
      expect(settled).toMatchObject({ outcome: 'invalid', approval: 'pending' });
    });

    async function begunWithQuestion() {
      const asked = await sessionWithQuestion(store(), 'outcome');
      await store().beginTry(asked.fence, begin(undefined));
      return asked;
    }
  });

  function put(
    approvalId: string,
    decisionId: string,
    said: { readonly decision: string; readonly argumentsDigest?: string },
    decidedAt = AT,
  ) {
    return store().putDecision({
      tenant: 'default',
      approvalId,
      decisionId,
      principal: 'local',
      provenance: 'authenticated',
      decidedAt,
      ...said,
    });
  }
});
