import type { NewEntry } from '../../../src/core/entries';
import { notRunKey, retryKey } from '../../../src/core/entry-keys';
import { describeBothStores } from './both-stores';
import {
  AT,
  begin,
  message,
  newKey,
  openedSession,
  reply,
  result,
  sessionInTurn,
  sessionWithGrant,
  sessionWithQuestion,
  settle,
} from './session-under-test';

describeBothStores('readSessionFacts', (database) => {
  const store = () => database().store;

  it('knows nothing of a session nobody made', async () => {
    expect(await store().readSessionFacts(newKey())).toBeUndefined();
  });

  it('says of a new session that its message waits and was handed to nobody, and then that it was', async () => {
    const key = newKey();
    await store().createSession({ ...key, agent: 'workspace', message: message('m1'), at: AT });
    await store().putMessage({ ...key, message: { ...message('m2'), mode: 'inject' }, at: AT });
    const facts = await store().readSessionFacts(key);
    expect(facts).toEqual({
      session: await store().readSession(key),
      storeTime: expect.stringMatching(/^\d{4}-.*Z$/),
      isStopped: false,
      questions: [],
      answers: [],
      messages: { count: 1, undelivered: 1, oldestAt: AT },
      retries: [],
      begun: [],
      lastEntries: [],
    });
    await store().markDelivered(key, 'message', 'm1');
    expect((await store().readSessionFacts(key))?.messages).toEqual({ count: 1, undelivered: 0, oldestAt: AT });
    await openedSession(store(), key);
    await store().markStopped(key);
    expect(await store().readSessionFacts(key)).toMatchObject({
      isStopped: true,
      lastEntries: [{ seq: 1, type: 'session.started', turn: null, round: null }],
    });
  });

  it('tells the open questions, and the answers nobody has taken', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const { approvalId, tool, summary, requestedAt, expiresAt, callId } = approval;
    const said = { decision: 'reject', principal: 'local', provenance: 'authenticated', decidedAt: AT } as const;
    await store().putDecision({ tenant: fence.tenant, approvalId, decisionId: 'd-1', ...said });
    const facts = await store().readSessionFacts(fence);
    expect(facts?.questions).toEqual([
      { approvalId, kind: 'call', turn: 1, callId, tool, summary, requestedAt, expiresAt },
    ]);
    expect(facts?.answers).toEqual([{ approvalId, decisionId: 'd-1', at: AT, isDelivered: false }]);
    await store().settleApproval(fence, settle(approval));
    expect(await store().readSessionFacts(fence)).toMatchObject({ questions: [], answers: [] });
  });

  it('tells the failed attempts of the open round only', async () => {
    const fence = await sessionInTurn(store());
    const retry = (round: number, attempt: number): NewEntry => ({
      key: retryKey(1, round, attempt),
      type: 'model.retry',
      turn: 1,
      round,
      data: { attempt, code: 'model_rate_limit', detail: '', activeMs: 1 },
    });
    await store().append(fence, { entries: [retry(1, 1)], at: AT });
    expect((await store().readSessionFacts(fence))?.retries).toEqual([
      { attempt: 1, code: 'model_rate_limit', at: AT },
    ]);
    await store().append(fence, { entries: [reply(1, 1)], at: AT });
    await store().append(fence, { entries: [retry(2, 1)], at: AT });
    await store().append(fence, { entries: [retry(2, 2)], at: AT });
    expect((await store().readSessionFacts(fence))?.retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('tells the write that has begun, until it has a result or is known not to have run', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const begun = await store().beginTry(fence, begin(approval));
    const leaseUntil = new Date('leaseUntilMs' in begun ? begun.leaseUntilMs : 0).toISOString();
    const told = async () => (await store().readSessionFacts(fence))?.begun;
    const { callId } = approval;
    expect(await told()).toEqual([{ callId, tool: 'write_file', try: 1, startedAt: AT, leaseUntil }]);
    const notRun: NewEntry = {
      key: notRunKey(callId, 1),
      type: 'tool.not_run',
      turn: 1,
      round: 1,
      callId,
      data: { try: 1, code: 'call_busy' },
    };
    await store().append(fence, { entries: [notRun], at: AT });
    expect(await told()).toEqual([]);
    await store().beginTry(fence, begin(approval, { attemptToken: 'token-2', afterTry: 1 }));
    expect(await told()).toMatchObject([{ callId, try: 2 }]);
    await store().append(fence, { entries: [result(1, 1, 1)], at: AT });
    expect(await told()).toEqual([]);
  });

  it('tells the last ten entries without what they hold', async () => {
    const fence = await sessionInTurn(store());
    for (let round = 1; round <= 9; round += 1) {
      await store().append(fence, { entries: [reply(1, round, [], 'a secret')], at: AT });
    }
    const facts = await store().readSessionFacts(fence);
    expect(facts?.lastEntries.map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(facts?.lastEntries.at(-1)).toEqual({ seq: 12, type: 'model.reply', turn: 1, round: 9, at: AT });
    expect(JSON.stringify(facts)).not.toContain('a secret');
  });
});
