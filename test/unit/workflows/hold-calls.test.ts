import { plan, reviewed, sessionInModelCall, sessionWithCalls } from '../../support/session-driver';

describe('a hold point', () => {
  test('nothing runs until a decision is taken, then exactly that call', () => {
    const driver = sessionWithCalls(reviewed(1));
    expect(driver.start()).toEqual([]);
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1' } });
    const settle = driver.startOnly('settle-approval');
    expect(settle.input).toMatchObject({ approvalId: 'ap_1', candidates: [] });
    driver.settle(settle, { outcome: 'taken', approval: 'approved', decision: 'approve' });
    expect(driver.startOnly('run-call').input).toMatchObject({ callId: 't1-r1-c1', approvalId: 'ap_1' });
  });

  test.each([
    'recorded',
    'digest_mismatch',
    'not_allowed',
    'invalid',
    'invalid_signature',
    'unknown_approval',
  ] as const)('after %s the hold stays open', (outcome) => {
    const driver = sessionWithCalls(reviewed(1));
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1', candidate: { decision: 'approve' } } });
    driver.settle(driver.startOnly('settle-approval'), { outcome, approval: 'pending' });
    expect(driver.start()).toEqual([]);
    expect(driver.state.turn?.calls[0]?.step).toBe('held');
  });

  test('a stored decision is adopted, whatever this candidate was', () => {
    const driver = sessionWithCalls(reviewed(1));
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1', candidate: { decision: 'reject' } } });
    driver.settle(driver.startOnly('settle-approval'), { outcome: 'already_decided', approval: 'approved' });
    expect(driver.startOnly('run-call').input.callId).toBe('t1-r1-c1');
  });

  test.each(['rejected', 'expired', 'cancelled'] as const)(
    'a call whose question is %s is answered and never runs',
    (approval) => {
      const driver = sessionWithCalls(reviewed(1));
      driver.apply({ type: 'decide', signal: { approvalId: 'ap_1' } });
      driver.settle(driver.startOnly('settle-approval'), { approval, answered: true });
      expect(driver.startOnly('call-model').input.round).toBe(2);
    },
  );

  test('a question expires by workflow time, and says so itself', () => {
    const driver = sessionWithCalls(reviewed(1, '2026-01-01T00:01:00.000Z'));
    driver.nowMs += 59_999;
    expect(driver.start()).toEqual([]);
    driver.nowMs += 1;
    driver.apply({ type: 'time' });
    expect(driver.startOnly('settle-approval').input).toMatchObject({ expiredAt: '2026-01-01T00:01:00.000Z' });
  });

  test('a decision that came before the reply was seen is not lost', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1' } });
    driver.settle(driver.startOnly('settle-approval'), { approval: 'approved' });
    driver.reply(callModel, [reviewed(1)]);
    expect(driver.startOnly('run-call').input.callId).toBe('t1-r1-c1');
  });

  test('candidates that arrive during a settlement are settled next, not dropped', () => {
    const driver = sessionWithCalls(reviewed(1));
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1', candidate: { decision: 'nonsense' } } });
    const first = driver.startOnly('settle-approval');
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1', candidate: { decision: 'approve' } } });
    driver.settle(first, { outcome: 'invalid', approval: 'pending' });
    expect(driver.startOnly('settle-approval').input.candidates).toEqual([{ decision: 'approve' }]);
  });

  test('a settlement that met an outage is repeated with all its candidates', () => {
    const driver = sessionWithCalls(reviewed(1));
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1', candidate: { decision: 'approve' } } });
    driver.apply({ type: 'command-failed', command: driver.startOnly('settle-approval'), code: 'store_unavailable' });
    driver.nowMs += 1_000;
    driver.apply({ type: 'time' });
    expect(driver.startOnly('settle-approval').input.candidates).toEqual([{ decision: 'approve' }]);
  });

  test('a flood of candidates is capped, and a stored decision still gets its turn', () => {
    const driver = sessionWithCalls(reviewed(1));
    for (let index = 0; index < 5_000; index += 1) {
      driver.apply({ type: 'decide', signal: { approvalId: 'ap_1', candidate: { decision: `x${index}` } } });
    }
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1' } });
    const { candidates } = driver.startOnly('settle-approval').input;
    expect(candidates).toHaveLength(100);
    expect(driver.state.droppedSignals).toBe(4_900);
  });

  test('a flood over many approvals is capped for the session, and the genuine one still gets its turn', () => {
    const driver = sessionWithCalls(reviewed(1));
    for (let index = 0; index < 5_000; index += 1) {
      driver.apply({ type: 'decide', signal: { approvalId: `bogus${index}`, candidate: { decision: 'approve' } } });
    }
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1' } });
    expect(driver.state.decisions.length).toBeLessThanOrEqual(1_001);
    expect(driver.startOnly('settle-approval').input.approvalId).toBe('ap_1');
  });

  test('writes run in the order they were decided, one at a time', () => {
    const driver = sessionWithCalls(reviewed(1), reviewed(2));
    for (const approvalId of ['ap_2', 'ap_1']) {
      driver.apply({ type: 'decide', signal: { approvalId } });
    }
    driver.settle(driver.startOnly('settle-approval'), { approval: 'approved' });
    const [first, settle] = driver.start();
    expect(first).toMatchObject({ type: 'run-call', input: { callId: 't1-r1-c2' } });
    driver.settle(settle as never, { approval: 'approved' });
    expect(driver.start()).toEqual([]);
    driver.finish(first as never);
    expect(driver.startOnly('run-call').input.callId).toBe('t1-r1-c1');
  });

  test('a held call lets later calls pass', () => {
    const driver = sessionWithCalls(reviewed(1), plan(2));
    expect(driver.startOnly('run-call').input.callId).toBe('t1-r1-c2');
  });

  test('a superseded question becomes a new hold', () => {
    const driver = sessionWithCalls(reviewed(1));
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1' } });
    driver.settle(driver.startOnly('settle-approval'), { approval: 'approved' });
    const command = driver.startOnly('run-call');
    const ask = {
      approvalId: 'ap_1b',
      kind: 'call' as const,
      expiresAt: '2026-01-02T00:00:00.000Z',
      argumentsDigest: 'a1',
    };
    driver.apply({
      type: 'call-finished',
      command,
      result: { v: 1, status: 'superseded', ask, activeMs: 1, last: [8, 'd8'] },
    });
    expect(driver.start()).toEqual([]);
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1b' } });
    driver.settle(driver.startOnly('settle-approval'), { approval: 'approved' });
    expect(driver.startOnly('run-call').input.approvalId).toBe('ap_1b');
  });
});
