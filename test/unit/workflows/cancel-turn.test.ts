import { plan, reviewed, SessionDriver, sessionInModelCall, sessionWithCalls } from '../../support/session-driver';

describe('cancelling', () => {
  test('waits for what has started, then ends the turn and drops the queue', () => {
    const driver = sessionWithCalls(plan(1));
    const call = driver.startOnly('run-call');
    driver.message('m2');
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    expect(driver.start()).toEqual([]);
    driver.finish(call);
    expect(driver.endTurn().input).toMatchObject({ outcome: 'cancelled', discard: [{ messageId: 'm2' }] });
    expect(driver.state).toMatchObject({ phase: 'idle', queue: [] });
  });

  test('a message that comes after the cancel is not dropped, however long the turn takes to end', () => {
    const driver = sessionWithCalls(plan(1));
    const call = driver.startOnly('run-call');
    driver.message('m2');
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    driver.message('m3');
    driver.finish(call);
    expect(driver.endTurn().input.discard).toEqual([{ messageId: 'm2', mode: 'followup' }]);
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 2, messages: [{ messageId: 'm3' }] });
  });

  test('keeps the queue when asked to', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.message('m2');
    driver.apply({ type: 'cancel', signal: { keepQueue: true } });
    driver.apply({ type: 'command-failed', command: callModel, code: 'cancelled' });
    expect(driver.endTurn().input.discard).toBeUndefined();
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 2, messages: [{ messageId: 'm2' }] });
  });

  test('the first cause wins, and a cancel that names another turn is dropped', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.apply({ type: 'cancel', signal: { turn: 2, keepQueue: false } });
    expect(driver.state.turn?.ending).toBeUndefined();
    driver.apply({ type: 'command-failed', command: callModel, code: 'model_auth' });
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    expect(driver.endTurn().input.outcome).toBe('failed');
  });

  test('a reply that came in spite of the cancel runs nothing', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    driver.reply(callModel, [plan(1), reviewed(2)]);
    expect(driver.endTurn().input.outcome).toBe('cancelled');
  });

  test('a cancel before the session is open cancels the turn that waits to be opened', () => {
    const driver = new SessionDriver();
    driver.message('m1');
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    driver.open();
    expect(driver.endTurn().input).toMatchObject({ outcome: 'cancelled', opening: { messageId: 'm1' } });
  });

  test('started calls without a result are settled before the turn ends', () => {
    const driver = sessionWithCalls(plan(1, { effect: 'write' }));
    const call = driver.startOnly('run-call');
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    driver.apply({ type: 'command-failed', command: call, code: 'cancelled' });
    const endTurn = driver.startOnly('end-turn');
    driver.apply({
      type: 'turn-ended',
      command: endTurn,
      result: { v: 1, status: 'unsettled', unsettled: [{ callId: 't1-r1-c1', leaseUntil: '2026-01-01T00:00:15Z' }] },
    });
    const settleCall = driver.startOnly('settle-call');
    expect(settleCall.callId).toBe('t1-r1-c1');
    const ask = {
      approvalId: 'ap_o',
      kind: 'outcome' as const,
      expiresAt: '2026-01-02T00:00:00.000Z',
      argumentsDigest: 'a1',
    };
    driver.apply({
      type: 'call-settled',
      command: settleCall,
      result: { v: 1, status: 'outcome_unknown', characters: 1, ask, last: [8, 'd8'] },
    });
    driver.endTurn();
    // The question outlives its turn, and its answer is told to the model in the next one.
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_o' } });
    driver.settle(driver.startOnly('settle-approval'), { approval: 'approved', answered: true });
    driver.message('m2');
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 2, inject: ['ap_o'] });
  });

  test('a message handed to a model call that never replied goes back to the queue', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.message('m2', 'steer');
    driver.reply(callModel, []);
    const second = driver.startOnly('call-model');
    driver.apply({ type: 'command-failed', command: second, code: 'model_auth' });
    driver.endTurn();
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 2, messages: [{ messageId: 'm2' }] });
  });
});
