import { describeBothStores } from './both-stores';
import {
  AT,
  approve,
  begin,
  codeOf,
  ending,
  entriesOf,
  logOf,
  message,
  newKey,
  openedSession,
  opening,
  question,
  RUN,
  reply,
  requested,
  sessionInTurn,
  sessionWithQuestion,
} from './session-under-test';

const INPUT = { agent: 'workspace', createRow: false, at: AT } as const;

describeBothStores('openSession', (database) => {
  const store = () => database().store;

  it('opens a session a gateway created only for a run that has claimed it', async () => {
    const key = newKey();
    await store().createSession({ ...key, agent: 'workspace', message: message('m1'), at: AT });
    const fence = { ...key, runId: RUN };
    await expect(store().openSession(fence, INPUT)).rejects.toMatchObject({
      code: 'run_mismatch',
      details: { storedRunId: '' },
    });
    await store().claimRun(key, '', RUN);
    const opened = await store().openSession(fence, { ...INPUT, agent: 'other' });
    expect(opened).toMatchObject({ agent: 'workspace', lastTurn: 0, openTurn: undefined, approvals: [] });
    expect(opened.inbox).toEqual([message('m1')]);
    expect((await logOf(store(), key)).map(({ key: entryKey, data }) => [entryKey, data])).toEqual([
      ['s.1.started', { agent: 'workspace', origin: 'gateway', formatVersion: 1 }],
    ]);
    expect(opened.last?.[0]).toBe(1);
  });

  it('creates the row of a session that was started in Temporal alone, once', async () => {
    const fence = { ...newKey(), runId: RUN };
    expect(await codeOf(store().openSession(fence, INPUT))).toBe('unknown_session');
    const inputs = [1, 2, 3].map(() => store().openSession(fence, { ...INPUT, createRow: true }));
    const all = await Promise.all(inputs);
    expect(all.map(({ last }) => last?.[0])).toEqual([1, 1, 1]);
    expect((await entriesOf(store(), fence, 'session.started')).map(({ data }) => data.origin)).toEqual(['temporal']);
    const other = { ...fence, runId: 'run-2' };
    expect(await codeOf(store().openSession(other, { ...INPUT, createRow: true }))).toBe('run_mismatch');
  });

  it('does not take an empty store for a new session when the workflow has seen a log', async () => {
    const fence = { ...newKey(), runId: RUN, last: [5, 'x'.repeat(22)] as const };
    expect(await codeOf(store().openSession(fence, { ...INPUT, createRow: true }))).toBe('log_behind');
    expect(await store().readSession(fence)).toBeUndefined();
  });

  it('writes nothing when it is repeated, and a new opening after a close', async () => {
    const fence = await openedSession(store());
    await store().openSession(fence, INPUT);
    expect((await logOf(store(), fence)).map(({ key }) => key)).toEqual(['s.1.started']);
    await store().closeSession(fence, { reason: 'idle', at: AT });
    const closed = await store().closeSession(fence, { reason: 'again', at: AT });
    await store().openSession(fence, INPUT);
    const log = await logOf(store(), fence);
    expect(log.map(({ key }) => key)).toEqual(['s.1.started', 's.1.closed', 's.2.started']);
    expect(log[1]?.data).toEqual({ reason: 'idle' });
    expect(closed.last?.[0]).toBe(2);
  });

  it('tells the open turn, the untaken messages in order, and the last turn', async () => {
    const fence = await sessionInTurn(store());
    await store().endTurn(fence, ending(1));
    for (const id of ['m2', 'm9', 'm3']) {
      await store().putMessage({ ...fence, message: message(id, `text of ${id}`), at: AT });
    }
    await store().append(fence, { entries: opening(2, 'm2', 'text of m2'), takes: ['m2'], at: AT });
    const opened = await store().openSession(fence, INPUT);
    expect(opened).toMatchObject({ lastTurn: 2, openTurn: { turn: 2, messageId: 'm2' } });
    expect(opened.inbox).toEqual([message('m9', 'text of m9'), message('m3', 'text of m3')]);
  });

  it('tells the questions that wait: with a stored decision, or left over from an ended turn', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const waiting = async () => (await store().openSession(fence, INPUT)).approvals;
    expect(await waiting()).toEqual([]);
    const { tenant } = fence;
    const said = { decision: 'nonsense', principal: 'local', provenance: 'authenticated', decidedAt: AT } as const;
    await store().putDecision({ tenant, approvalId: approval.approvalId, decisionId: 'd-1', ...said });
    const { approvalId, kind, expiresAt } = approval;
    expect(await waiting()).toEqual([{ approvalId, kind, expiresAt }]);
    await store().settleApproval(fence, { approvalId, candidates: [approve()], now: AT, at: AT });
    expect(await waiting()).toEqual([]);
    const outcome = question(fence, { kind: 'outcome', ask: 2 });
    await store().append(fence, { entries: [requested(outcome)], approvals: [outcome], at: AT });
    expect(await waiting()).toEqual([]);
    await store().endTurn(fence, ending(1));
    expect((await waiting()).map(({ approvalId: id }) => id)).toEqual([outcome.approvalId]);
  });

  it('ends what blocked or stopped the session', async () => {
    const fence = await openedSession(store());
    await store().setBlocked(fence, 'log_behind');
    await store().markStopped(fence);
    expect((await store().readSession(fence))?.status).toBe('blocked');
    await store().openSession(fence, INPUT);
    expect((await store().readSession(fence))?.status).toBe('running');
    const [row] = await database().query(`select stopped from sessions where session = '${fence.sessionId}'`);
    expect(row?.['stopped']).toBe(0);
  });
});

describeBothStores('readSession', (database) => {
  const store = () => database().store;

  it('shows a session from its first message to its end', async () => {
    const key = newKey();
    expect(await store().readSession(key)).toBeUndefined();
    await store().createSession({ ...key, agent: 'workspace', message: message('m1'), at: AT });
    expect(await store().readSession(key)).toEqual({
      sessionId: key.sessionId,
      agent: 'workspace',
      mode: 'conversation',
      status: 'running',
      turn: null,
      round: null,
      lastTurn: null,
      openApprovals: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      lastSeq: 0,
      createdAt: AT,
    });
    const fence = { ...key, runId: RUN };
    await store().claimRun(key, '', RUN);
    await store().openSession(fence, INPUT);
    await store().append(fence, { entries: opening(1, 'm1'), takes: ['m1'], at: AT });
    expect(await store().readSession(key)).toMatchObject({ status: 'running', turn: 1, round: 1 });
    const approval = question(fence);
    await store().append(fence, { entries: [reply(1, 2), requested(approval)], approvals: [approval], at: AT });
    expect(await store().readSession(key)).toMatchObject({
      status: 'waiting_for_approval',
      turn: 1,
      round: 2,
      openApprovals: [approval.approvalId],
      usage: { inputTokens: 10, outputTokens: 2 },
    });
    await store().settleApproval(fence, { approvalId: approval.approvalId, candidates: [approve()], now: AT, at: AT });
    expect(await store().readSession(key)).toMatchObject({ status: 'running', openApprovals: [] });
    await store().endTurn(fence, ending(1, { outcome: 'failed', code: 'model_auth' }));
    expect(await store().readSession(key)).toMatchObject({
      status: 'idle',
      turn: null,
      round: null,
      lastTurn: { turn: 1, outcome: 'failed', code: 'model_auth' },
    });
    await store().closeSession(fence, { reason: 'idle', at: AT });
    expect(await store().readSession(key)).toMatchObject({
      status: 'closed',
      lastSeq: (await logOf(store(), key)).length,
    });
    await store().putMessage({ ...key, message: message('m2'), at: AT });
    expect((await store().readSession(key))?.status).toBe('running');
  });

  it('does not wait for a question that is left over from an ended turn', async () => {
    const { fence, approval } = await sessionWithQuestion(store(), 'outcome');
    await store().beginTry(fence, begin(undefined));
    await store().settleApproval(fence, { approvalId: approval.approvalId, candidates: [], now: AT, at: AT });
    await store().append(fence, { entries: [{ ...lateResult() }], at: AT });
    await store().endTurn(fence, ending(1));
    expect(await store().readSession(fence)).toMatchObject({ status: 'idle', openApprovals: [approval.approvalId] });
  });

  function lateResult() {
    const data = { tool: 'write_file', status: 'outcome_unknown', text: '?' } as const;
    return { key: 't1.r1.c1.result', type: 'tool.result', turn: 1, round: 1, callId: 't1-r1-c1', data } as const;
  }
});
