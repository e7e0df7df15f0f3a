import { describeBothStores } from './both-stores';
import {
  AT,
  approve,
  begin,
  ending,
  entriesOf,
  logOf,
  message,
  plan,
  question,
  reply,
  requested,
  result,
  sessionInTurn,
  sessionWithGrant,
  sessionWithQuestion,
  sessionWithQuestions,
  settle,
  userMessage,
} from './session-under-test';

describeBothStores('endTurn', (database) => {
  const store = () => database().store;

  it('ends a turn with the usage of its replies and an announcement', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [reply(1, 1)], at: AT });
    await store().append(fence, { entries: [reply(1, 2)], at: AT });
    const ended = await store().endTurn(fence, ending(1, { rounds: 2, calls: 0 }));
    const last = (await logOf(store(), fence)).at(-1);
    expect(ended).toEqual({ status: 'ended', outcome: 'completed', last: [last?.seq, last?.digest.slice(0, 22)] });
    expect(last).toMatchObject({ key: 't1.end', type: 'turn.ended', turn: 1 });
    expect(last?.data).toEqual({
      outcome: 'completed',
      rounds: 2,
      calls: 0,
      activeMs: 7,
      usage: { inputTokens: 20, outputTokens: 4 },
    });
    const outbox = await database().query(`select seq, type from outbox where session = '${fence.sessionId}'`);
    expect(outbox).toEqual([{ seq: last?.seq, type: 'turn.ended' }]);
  });

  it('returns the stored end when it is repeated', async () => {
    const fence = await sessionInTurn(store());
    const first = await store().endTurn(fence, ending(1, { outcome: 'failed', code: 'model_auth' }));
    const again = await store().endTurn(fence, ending(1, { outcome: 'interrupted', activeMs: 99 }));
    expect(again).toEqual(first);
    expect(await entriesOf(store(), fence, 'turn.ended')).toHaveLength(1);
  });

  it('answers every call that never began, by the workflow or as aborted', async () => {
    const fence = await sessionInTurn(store());
    const calls = [1, 2, 3, 4].map((ordinal) => plan(`t1-r1-c${ordinal}`));
    await store().append(fence, { entries: [reply(1, 1, calls)], at: AT });
    await store().append(fence, { entries: [result(1, 1, 1)], at: AT });
    const skipped = result(1, 1, 2, { status: 'skipped' });
    const known = result(1, 1, 1, { status: 'skipped' });
    await store().endTurn(fence, ending(1, { answers: [skipped, known] }));
    const results = await entriesOf(store(), fence, 'tool.result');
    expect(results.map(({ callId, data }) => [callId, data.status])).toEqual([
      ['t1-r1-c1', 'success'],
      ['t1-r1-c2', 'skipped'],
      ['t1-r1-c3', 'aborted'],
      ['t1-r1-c4', 'aborted'],
    ]);
    expect(results[3]).toMatchObject({ key: 't1.r1.c4.result', turn: 1, round: 1, data: { code: 'call_aborted' } });
  });

  it('does not end a turn while a call that began has no result', async () => {
    const { fence, approvals } = await sessionWithQuestions(store(), { count: 2 });
    const [first] = approvals;
    if (first === undefined) {
      throw new Error('There are two questions.');
    }
    await store().settleApproval(fence, settle(first, { candidates: [approve()] }));
    const begun = await store().beginTry(fence, begin(first));
    const leaseUntil = new Date('leaseUntilMs' in begun ? begun.leaseUntilMs : 0).toISOString();
    const open = await store().endTurn(fence, ending(1, { outcome: 'cancelled' }));
    expect(open).toMatchObject({ status: 'unsettled', unsettled: [{ callId: first.callId, leaseUntil }] });
    expect(await entriesOf(store(), fence, 'turn.ended')).toHaveLength(0);
    expect((await entriesOf(store(), fence, 'tool.result')).map(({ callId }) => callId)).toEqual(['t1-r1-c2']);
    await store().append(fence, { entries: [result(1, 1, 1)], at: AT });
    const ended = await store().endTurn(fence, ending(1, { outcome: 'cancelled' }));
    expect(ended).toMatchObject({ status: 'ended', outcome: 'cancelled' });
    expect(await entriesOf(store(), fence, 'tool.result')).toHaveLength(2);
  });

  it('aborts a call all of whose tries are known not to have run', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().beginTry(fence, begin(approval));
    const notRun = {
      key: 't1.r1.c1.not_run.1',
      type: 'tool.not_run',
      turn: 1,
      round: 1,
      callId: approval.callId,
      data: { try: 1, code: 'worker_lost' },
    } as const;
    await store().append(fence, { entries: [notRun], at: AT });
    await store().beginTry(fence, begin(approval, { attemptToken: 'token-2' }));
    expect(await store().endTurn(fence, ending(1))).toMatchObject({ status: 'unsettled' });
    const second = { ...notRun, key: 't1.r1.c1.not_run.2', data: { try: 2, code: 'worker_lost' } };
    await store().append(fence, { entries: [second], at: AT });
    expect(await store().endTurn(fence, ending(1))).toMatchObject({ status: 'ended' });
    expect((await entriesOf(store(), fence, 'tool.result')).map(({ data }) => data.status)).toEqual(['aborted']);
  });

  it('does not take a later try that did not run for proof about an earlier one', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().beginTry(fence, begin(approval));
    await store().beginTry(fence, begin(approval, { attemptToken: 'token-2', afterTry: 1 }));
    const data = { try: 2, code: 'worker_lost' };
    const place = { turn: 1, round: 1, callId: approval.callId };
    await store().append(fence, {
      entries: [{ key: 't1.r1.c1.not_run.2', type: 'tool.not_run', ...place, data }],
      at: AT,
    });
    expect(await store().endTurn(fence, ending(1))).toMatchObject({
      status: 'unsettled',
      unsettled: [{ callId: approval.callId }],
    });
  });

  it('cancels open questions, and tells answers to them that were still waiting', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const { tenant } = fence;
    const said = { decision: 'approve', argumentsDigest: approval.argumentsDigest, principal: 'local' };
    const { approvalId } = approval;
    await store().putDecision({
      tenant,
      approvalId,
      decisionId: 'd-1',
      ...said,
      provenance: 'authenticated',
      decidedAt: AT,
    });
    await store().endTurn(fence, ending(1, { outcome: 'cancelled' }));
    const record = await store().readApproval(tenant, approvalId);
    expect(record?.status).toBe('cancelled');
    expect(record?.decisions.map(({ decision, outcome }) => [decision, outcome])).toEqual([
      ['withdraw', 'taken'],
      ['approve', 'cancelled'],
    ]);
    expect(await store().readDecisionOutcome(tenant, approvalId, 'd-1')).toBe('cancelled');
    expect((await entriesOf(store(), fence, 'tool.result')).map(({ data }) => data.status)).toEqual(['aborted']);
    const late = await store().settleApproval(fence, settle(approval, { candidates: [approve()] }));
    expect(late).toMatchObject({ outcome: 'cancelled', approval: 'cancelled', answered: true });
  });

  it('makes a grant worthless that nobody used', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().endTurn(fence, ending(1, { outcome: 'cancelled' }));
    expect((await store().readApproval(fence.tenant, approval.approvalId))?.status).toBe('superseded');
  });

  it('leaves questions about an outcome open, and the record of a used grant', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().beginTry(fence, begin(approval));
    const outcome = question(fence, { kind: 'outcome', ask: 2 });
    await store().append(fence, { entries: [requested(outcome)], approvals: [outcome], at: AT });
    await store().append(fence, { entries: [result(1, 1, 1)], at: AT });
    const { tenant } = fence;
    const { approvalId } = outcome;
    const said = { decision: 'abandon', principal: 'local', provenance: 'authenticated', decidedAt: AT } as const;
    await store().putDecision({ tenant, approvalId, decisionId: 'd-1', ...said });
    await store().endTurn(fence, ending(1, { outcome: 'cancelled' }));
    expect((await store().readApproval(tenant, approvalId))?.status).toBe('pending');
    expect(await store().settleApproval(fence, settle(outcome))).toMatchObject({
      outcome: 'taken',
      decision: 'abandon',
    });
    expect((await store().readApproval(fence.tenant, approval.approvalId))?.status).toBe('approved');
  });

  it('logs the messages a cancel drops, and takes their inbox rows', async () => {
    const fence = await sessionInTurn(store());
    await store().putMessage({ ...fence, message: message('m2'), at: AT });
    const discarded = (id: string) => {
      const entry = userMessage(id);
      return { ...entry, data: { ...entry.data, discarded: true } } as typeof entry;
    };
    const discards = [discarded('m2'), discarded('m1'), discarded('m3')];
    await store().endTurn(fence, ending(1, { outcome: 'cancelled', discards }));
    const messages = await entriesOf(store(), fence, 'user.message');
    expect(messages.map(({ key, data }) => [key, data.discarded])).toEqual([
      ['m/m1', undefined],
      ['m/m2', true],
      ['m/m3', true],
    ]);
    expect((await store().readSession(fence))?.status).toBe('idle');
    const [row] = await database().query(
      `select count(*) as waiting from inbox where session = '${fence.sessionId}' and taken_seq is null`,
    );
    expect(Number(row?.['waiting'])).toBe(0);
  });

  it('counts only its own turn', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [reply(1, 1, [plan('t1-r1-c1')])], at: AT });
    await store().endTurn(fence, ending(1));
    await store().append(fence, { entries: [userMessage('m2', { turn: 2 }), turnStarted(2, 'm2')], at: AT });
    await store().append(fence, { entries: [reply(2, 1)], at: AT });
    await store().endTurn(fence, ending(2));
    const [first, second] = await entriesOf(store(), fence, 'turn.ended');
    expect(first?.data.usage).toEqual(second?.data.usage);
    expect(await entriesOf(store(), fence, 'tool.result')).toHaveLength(1);
  });

  it('keeps the later turn for the last one when an earlier one ends behind it', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [userMessage('m2', { turn: 2 }), turnStarted(2, 'm2')], at: AT });
    await store().append(fence, { entries: [reply(2, 1)], at: AT });
    await store().endTurn(fence, ending(2));
    await store().endTurn(fence, ending(1, { outcome: 'interrupted' }));
    const [, first] = await entriesOf(store(), fence, 'turn.ended');
    expect(first?.data.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    expect((await store().readSession(fence))?.lastTurn).toEqual({ turn: 2, outcome: 'completed' });
  });

  function turnStarted(turn: number, messageId: string) {
    return { key: `t${turn}.turn`, type: 'turn.started', turn, data: { messageId } } as const;
  }
});
