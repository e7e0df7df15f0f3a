import { plan, SessionDriver, sessionInModelCall, sessionWithCalls } from '../../support/session-driver';

describe('a turn', () => {
  test('a reply without calls ends it as completed', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.reply(callModel);
    expect(driver.endTurn().input).toMatchObject({ turn: 1, outcome: 'completed', rounds: 1, calls: 0, activeMs: 10 });
    expect(driver.state).toMatchObject({ phase: 'idle', nextTurn: 2, queue: [] });
    expect(driver.state.turn).toBeUndefined();
  });

  test('a call runs, and its result leads to the next round', () => {
    const driver = sessionWithCalls(plan(1));
    const call = driver.startOnly('run-call');
    expect(call).toMatchObject({ tool: 'read_file', input: { callId: 't1-r1-c1', argumentsDigest: 'a1' } });
    driver.finish(call);
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 1, round: 2, last: [7, 'd7'] });
    expect(driver.state.turn).toMatchObject({ activeMs: 15, resultCharacters: 10, callCount: 1 });
  });

  test('calls the reply answered itself run nothing and lead to the next round', () => {
    const driver = sessionWithCalls(plan(1, { verdict: 'unknown_tool' }), plan(2, { verdict: 'invalid' }));
    expect(driver.startOnly('call-model').input.round).toBe(2);
  });

  test('messages form a queue, one turn each', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.message('m2');
    driver.message('m2');
    driver.reply(callModel);
    driver.endTurn();
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 2, round: 1, messages: [{ messageId: 'm2' }] });
    expect(driver.state.queue).toEqual([]);
  });

  test('a steering message joins the next round instead of opening a turn', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.message('m2', 'steer');
    driver.reply(callModel);
    expect(driver.startOnly('call-model').input).toMatchObject({
      turn: 1,
      round: 2,
      messages: [{ messageId: 'm2', mode: 'steer' }],
    });
  });

  test('an injected message opens no turn, and joins the next one', () => {
    const driver = new SessionDriver();
    driver.message('m1', 'inject');
    driver.open();
    expect(driver.start()).toEqual([]);
    driver.message('m2');
    expect(driver.startOnly('call-model').input.messages?.map((message) => message.messageId)).toEqual(['m2', 'm1']);
  });

  test('a message another turn has taken opens none', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.reply(callModel, [], { known: true });
    expect(driver.state).toMatchObject({ phase: 'idle', nextTurn: 1 });
    expect(driver.start()).toEqual([]);
  });

  test('a failed model call ends the turn once, with its code', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.apply({ type: 'command-failed', command: callModel, code: 'model_auth' });
    expect(driver.endTurn().input).toMatchObject({
      outcome: 'failed',
      code: 'model_auth',
      opening: { messageId: 'm1' },
    });
  });

  test('an outage during a model call is waited out', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.apply({ type: 'command-failed', command: callModel, code: 'store_unavailable' });
    driver.nowMs += 1_000;
    driver.apply({ type: 'time' });
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 1, round: 1 });
  });

  test.each([
    ['agent_unavailable', 'blocked'],
    ['active_time_over', 'timeout'],
    ['worker_lost', 'failed'],
  ])('a model call that fails with %s ends the turn as %s', (code, outcome) => {
    const { driver, callModel } = sessionInModelCall();
    driver.apply({ type: 'command-failed', command: callModel, code });
    expect(driver.endTurn().input.outcome).toBe(outcome);
  });

  test.each([
    ['max-tokens', 'max_tokens'],
    ['content-filter', 'failed'],
  ] as const)('a reply that finishes with %s is no answer', (finish, outcome) => {
    const { driver, callModel } = sessionInModelCall();
    driver.reply(callModel, [], { finish });
    expect(driver.endTurn().input.outcome).toBe(outcome);
  });
});

describe('limits', () => {
  test.each([
    ['max_rounds', { roundsPerTurn: 1 }],
    ['max_calls', { callsPerTurn: 1 }],
    ['max_calls', { resultCharactersPerTurn: 9 }],
  ] as const)('%s leads to one more round without tools, and names the outcome', (outcome, limits) => {
    const { driver, callModel } = sessionInModelCall(limits);
    driver.reply(callModel, [plan(1)]);
    driver.finish(driver.startOnly('run-call'));
    const final = driver.startOnly('call-model');
    expect(final.input).toMatchObject({ round: 2, final: outcome });
    driver.reply(final);
    expect(driver.endTurn().input.outcome).toBe(outcome);
  });

  test('exactly the limit of result characters is not over it', () => {
    const { driver, callModel } = sessionInModelCall({ resultCharactersPerTurn: 10 });
    driver.reply(callModel, [plan(1)]);
    driver.finish(driver.startOnly('run-call'));
    expect(driver.startOnly('call-model').input.final).toBeUndefined();
  });

  test('calls that have not begun when the results are too long are answered as skipped', () => {
    const { driver, callModel } = sessionInModelCall({ resultCharactersPerTurn: 9 });
    driver.reply(callModel, [plan(1), plan(2)]);
    driver.finish(driver.startOnly('run-call'));
    expect(driver.startOnly('call-model').input.answers).toEqual([{ callId: 't1-r1-c2', status: 'skipped' }]);
  });

  test('active time is summed from results, and ends the turn when it is used up', () => {
    const { driver, callModel } = sessionInModelCall({ activeMsPerTurn: 100 });
    driver.reply(callModel, [plan(1)], { activeMs: 60 });
    driver.finish(driver.startOnly('run-call'), { activeMs: 60 });
    expect(driver.endTurn().input).toMatchObject({ outcome: 'timeout', activeMs: 120 });
  });

  test('waiting costs no active time', () => {
    const { driver, callModel } = sessionInModelCall({ activeMsPerTurn: 100 });
    driver.nowMs += 10 * 3_600_000;
    driver.apply({ type: 'time' });
    driver.reply(callModel, [plan(1)]);
    expect(driver.startOnly('run-call').input.callId).toBe('t1-r1-c1');
  });
});

describe('lost workers', () => {
  test('a call whose activity failed is settled by asking, and the turn goes on', () => {
    const driver = sessionWithCalls(plan(1));
    driver.apply({ type: 'command-failed', command: driver.startOnly('run-call'), code: 'worker_lost' });
    const settleCall = driver.startOnly('settle-call');
    driver.apply({
      type: 'call-settled',
      command: settleCall,
      result: { v: 1, status: 'error', characters: 5, last: [8, 'd8'] },
    });
    expect(driver.startOnly('call-model').input.round).toBe(2);
  });

  test('a settlement of a call that fails is repeated after a pause', () => {
    const driver = sessionWithCalls(plan(1));
    driver.apply({ type: 'command-failed', command: driver.startOnly('run-call'), code: 'worker_lost' });
    driver.apply({ type: 'command-failed', command: driver.startOnly('settle-call'), code: 'worker_lost' });
    expect(driver.start()).toEqual([]);
    driver.nowMs += 1_000;
    driver.apply({ type: 'time' });
    expect(driver.startOnly('settle-call').callId).toBe('t1-r1-c1');
  });
});
