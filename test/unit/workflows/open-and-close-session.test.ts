import { SessionDriver, sessionInModelCall } from '../../support/session-driver';

describe('opening', () => {
  test('a message that came before the session was open opens the first turn', () => {
    const { callModel } = sessionInModelCall();
    expect(callModel).toMatchObject({ input: { turn: 1, round: 1, messages: [{ messageId: 'm1' }], last: [1, 'd1'] } });
  });

  test('messages the store holds come in the order of the store, each once', () => {
    const driver = new SessionDriver();
    driver.message('m2');
    driver.open({
      inbox: [
        { messageId: 'm1', mode: 'followup' },
        { messageId: 'm2', mode: 'followup' },
      ],
    });
    expect(driver.startOnly('call-model').input.messages).toEqual([{ messageId: 'm1', mode: 'followup' }]);
    expect(driver.state.queue.map((message) => message.messageId)).toEqual(['m2']);
  });

  test('a turn another run left open is walked again under its number', () => {
    const driver = new SessionDriver();
    driver.open({ nextTurn: 4, openTurn: { turn: 3, messageId: 'm3' } });
    expect(driver.startOnly('call-model').input).toMatchObject({ turn: 3, round: 1, messages: [{ messageId: 'm3' }] });
  });

  test('a turn an operator stopped is ended as interrupted and not asked again', () => {
    const driver = new SessionDriver();
    driver.open({ nextTurn: 4, openTurn: { turn: 3, messageId: 'm3', interrupted: true } });
    expect(driver.endTurn().input).toMatchObject({ turn: 3, outcome: 'interrupted' });
    expect(driver.state).toMatchObject({ phase: 'idle', nextTurn: 4 });
  });

  test('a message that was handled before makes a session at rest compare itself with the store, and changes nothing', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.message('m1');
    driver.reply(callModel);
    driver.endTurn();
    driver.message('m1');
    driver.open({ nextTurn: 2 });
    expect(driver.start()).toEqual([]);
    expect(driver.state).toMatchObject({ phase: 'idle', nextTurn: 2, queue: [] });
  });

  test('a session that learns that way that the store lacks its log is blocked', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.reply(callModel);
    driver.endTurn();
    driver.message('m1');
    driver.apply({ type: 'command-failed', command: driver.startOnly('open-session'), code: 'log_behind' });
    expect(driver.state).toMatchObject({ phase: 'blocked', blockedCode: 'log_behind' });
  });

  test('an outage pauses the session with growing pauses and then repeats the step', () => {
    const driver = new SessionDriver();
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      const command = driver.startOnly('open-session');
      driver.apply({ type: 'command-failed', command, code: 'store_unavailable' });
      expect(driver.state.pausedUntilMs).toBe(driver.nowMs + pauseMs);
      expect(driver.start()).toEqual([]);
      driver.nowMs += pauseMs;
      driver.apply({ type: 'time' });
    }
    driver.open();
    expect(driver.state).toMatchObject({ phase: 'idle', pauses: 0 });
  });

  test.each(['fenced', 'log_behind', 'log_conflict', 'log_format_newer', 'session_erased', 'unknown_session'])(
    '%s blocks the session, and later messages queue',
    (code) => {
      const driver = new SessionDriver();
      driver.apply({ type: 'command-failed', command: driver.startOnly('open-session'), code });
      driver.message('m1');
      expect(driver.start()).toEqual([]);
      expect(driver.state).toMatchObject({ phase: 'blocked', blockedCode: code, queue: [{ messageId: 'm1' }] });
    },
  );
});

describe('closing', () => {
  test('queued messages run first', () => {
    const { driver, callModel } = sessionInModelCall();
    driver.apply({ type: 'close', reason: 'requested' });
    driver.message('m2');
    driver.reply(callModel);
    driver.endTurn();
    driver.reply(driver.startOnly('call-model'));
    driver.endTurn();
    expect(driver.startOnly('close-session').reason).toBe('requested');
  });

  test('a session without anything to do closes after the idle time, not before', () => {
    const driver = new SessionDriver();
    driver.open();
    driver.nowMs += 7 * 24 * 3_600_000 - 1;
    driver.apply({ type: 'time' });
    expect(driver.start()).toEqual([]);
    driver.nowMs += 1;
    driver.apply({ type: 'time' });
    const close = driver.startOnly('close-session');
    driver.apply({ type: 'closed', command: close, result: { v: 1, status: 'closed' } });
    expect(driver.state.phase).toBe('closed');
  });

  test('a message that comes while the session closes reopens it', () => {
    const driver = new SessionDriver();
    driver.open();
    driver.apply({ type: 'close', reason: 'requested' });
    const close = driver.startOnly('close-session');
    driver.message('m1');
    driver.apply({ type: 'closed', command: close, result: { v: 1, status: 'closed' } });
    driver.open();
    expect(driver.startOnly('call-model').input.messages).toEqual([{ messageId: 'm1', mode: 'followup' }]);
  });
});
