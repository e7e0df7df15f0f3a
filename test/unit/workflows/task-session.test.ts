import { taskResultOf } from '../../../src/workflows/task-session';
import { plan, reviewed, SessionDriver } from '../../support/session-driver';

const TASK = { mode: 'task', message: { messageId: 'm1', content: 'do it' } };
const ENDED = { turn: 1, messageId: 'm1', outcome: 'completed' } as const;

/** A task whose one model call is under way. */
function taskInModelCall(more: object = {}) {
  const driver = new SessionDriver({ ...TASK, ...more });
  driver.open({ task: {} });
  return { driver, callModel: driver.startOnly('call-model') };
}

function resultOf(driver: SessionDriver) {
  return taskResultOf(driver.state, 's1');
}

test('a task runs one turn, closes, and returns its outcome and the end of its log', () => {
  const { driver, callModel } = taskInModelCall();
  driver.reply(callModel);
  driver.endTurn();
  expect(driver.close()).toEqual({ type: 'close-session', reason: 'task_ended' });
  expect(driver.state.phase).toBe('closed');
  expect(resultOf(driver)).toEqual({ v: 1, sessionId: 's1', outcome: 'completed', lastSeq: 10 });
});

test('a conversation returns nothing', () => {
  const driver = new SessionDriver();
  driver.open();
  driver.apply({ type: 'close', reason: 'requested' });
  driver.close();
  expect(resultOf(driver)).toBeUndefined();
});

test('the text is asked for only where the start wants it, and of the turn that ended', () => {
  const { driver, callModel } = taskInModelCall({ returnText: true });
  driver.reply(callModel);
  driver.endTurn();
  expect(driver.close({ text: 'done' })).toMatchObject({ textOfTurn: 1 });
  expect(resultOf(driver)).toMatchObject({ text: 'done' });
});

test('a session is a task when its row says so, whatever its start says', () => {
  const driver = new SessionDriver();
  driver.message('m1');
  driver.open({ task: {} });
  driver.reply(driver.startOnly('call-model'));
  driver.endTurn();
  driver.close();
  expect(resultOf(driver)).toMatchObject({ outcome: 'completed' });
});

test('what the start says of mode, limits and metadata goes to the store once', () => {
  const options = { mode: 'task', limits: { roundsPerTurn: 2 }, metadata: { ticket: '7' } };
  const driver = new SessionDriver({ ...TASK, ...options });
  expect(driver.state.options).toEqual(options);
  driver.open({ task: {} });
  expect(driver.state.options).toBeUndefined();
});

test('a failed model call is an outcome with its code', () => {
  const { driver, callModel } = taskInModelCall();
  driver.apply({ type: 'command-failed', command: callModel, code: 'model_auth' });
  const command = driver.startOnly('end-turn');
  const ended = { v: 1, status: 'ended', outcome: 'failed', code: 'model_auth', last: [9, 'd9'] } as const;
  driver.apply({ type: 'turn-ended', command, result: ended });
  driver.close();
  expect(resultOf(driver)).toMatchObject({ outcome: 'failed', code: 'model_auth' });
});

describe('messages', () => {
  test('a followup during the turn joins its next round', () => {
    const { driver, callModel } = taskInModelCall();
    driver.message('m2');
    driver.reply(callModel);
    expect(driver.startOnly('call-model').input).toMatchObject({
      turn: 1,
      round: 2,
      messages: [{ messageId: 'm2', mode: 'followup' }],
    });
  });

  test('all that came before the turn open it together', () => {
    const driver = new SessionDriver({ mode: 'task' });
    driver.message('m2');
    driver.message('m1', 'inject');
    driver.open({ task: {} });
    expect(driver.startOnly('call-model').input.messages?.map(({ messageId }) => messageId)).toEqual(['m2', 'm1']);
  });

  test('an injected message alone opens the turn: there is no other to wait for', () => {
    const driver = new SessionDriver({ mode: 'task' });
    driver.message('m1', 'inject');
    driver.open({ task: {} });
    expect(driver.startOnly('call-model').input.messages).toEqual([{ messageId: 'm1', mode: 'inject' }]);
  });

  test('what came too late for the last round is dropped with the turn, and logged', () => {
    const driver = new SessionDriver(TASK);
    driver.open({ task: {}, limits: { ...driver.state.limits, roundsPerTurn: 1 } });
    driver.reply(driver.startOnly('call-model'), [plan(1)]);
    driver.finish(driver.startOnly('run-call'));
    const final = driver.startOnly('call-model');
    driver.message('m2');
    driver.reply(final);
    expect(driver.endTurn().input.discard).toEqual([{ messageId: 'm2', mode: 'followup' }]);
    expect(driver.close()).toBeDefined();
  });

  test('what was handed to a model call that never replied is dropped with the turn', () => {
    const { driver, callModel } = taskInModelCall();
    driver.message('m2');
    driver.reply(callModel);
    const second = driver.startOnly('call-model');
    driver.apply({ type: 'command-failed', command: second, code: 'model_auth' });
    expect(driver.endTurn().input.discard).toEqual([{ messageId: 'm2', mode: 'followup' }]);
  });

  test.each(['while the turn ends', 'while the session closes'])('%s are dropped and counted', (when) => {
    const { driver, callModel } = taskInModelCall();
    driver.reply(callModel);
    if (when === 'while the session closes') {
      driver.endTurn();
    }
    driver.message('m2');
    expect(driver.state).toMatchObject({ droppedSignals: 1, queue: [] });
    if (when === 'while the turn ends') {
      driver.endTurn();
    }
    driver.message('m3');
    driver.close();
    expect(driver.state).toMatchObject({ phase: 'closed', droppedSignals: 2, queue: [] });
  });
});

describe('a start of a task that has ended', () => {
  test('runs nothing and returns what the store holds', () => {
    const driver = new SessionDriver({ ...TASK, returnText: true });
    driver.open({ task: { ended: { ...ENDED, outcome: 'failed', code: 'model_auth' } }, last: [7, 'd7'] });
    expect(driver.close({ last: [7, 'd7'], text: 'done' })).toMatchObject({ textOfTurn: 1 });
    expect(resultOf(driver)).toEqual({
      v: 1,
      sessionId: 's1',
      outcome: 'failed',
      code: 'model_auth',
      lastSeq: 7,
      text: 'done',
    });
  });

  test('with another message fails', () => {
    const driver = new SessionDriver({ ...TASK, message: { messageId: 'm9', content: 'another' } });
    driver.open({ task: { ended: ENDED } });
    expect(driver.start()).toEqual([]);
    expect(driver.state).toMatchObject({ phase: 'closed', failedCode: 'session_closed' });
  });

  test('by a signal drops the message and counts it', () => {
    const driver = new SessionDriver();
    driver.message('m9');
    driver.open({ task: { ended: ENDED } });
    driver.close();
    expect(driver.state).toMatchObject({ phase: 'closed', droppedSignals: 1, queue: [] });
  });

  test('settles the decisions that were stored meanwhile before it closes again', () => {
    const driver = new SessionDriver(TASK);
    const question = { approvalId: 'ap_1', kind: 'outcome', expiresAt: '2026-02-01T00:00:00.000Z' } as const;
    driver.open({ task: { ended: ENDED }, approvals: [question] });
    driver.settle(driver.startOnly('settle-approval'), { approval: 'approved' });
    driver.close();
    expect(driver.state.phase).toBe('closed');
  });
});

describe('a task that can not be run fails', () => {
  test('without a message', () => {
    const driver = new SessionDriver({ mode: 'task' });
    driver.open({ task: {} });
    expect(driver.state).toMatchObject({ phase: 'closed', failedCode: 'invalid_start' });
  });

  test('when the store does not hold the message its start names', () => {
    const { driver, callModel } = taskInModelCall();
    driver.reply(callModel, [], { known: true });
    expect(driver.state).toMatchObject({ phase: 'closed', failedCode: 'invalid_start' });
  });

  test.each(['invalid_start', 'unknown_session', 'session_erased'])('when opening it is refused as %s', (code) => {
    const driver = new SessionDriver(TASK);
    driver.apply({ type: 'command-failed', command: driver.startOnly('open-session'), code });
    expect(driver.state).toMatchObject({ phase: 'closed', failedCode: code });
  });

  test('and so does a conversation whose limits are refused', () => {
    const driver = new SessionDriver({ limits: { roundsPerTurn: 99 } });
    driver.apply({ type: 'command-failed', command: driver.startOnly('open-session'), code: 'invalid_start' });
    expect(driver.state).toMatchObject({ phase: 'closed', failedCode: 'invalid_start' });
  });
});

test('idle time never closes a task, however long an outage keeps it from its turn', () => {
  const driver = new SessionDriver(TASK);
  const command = driver.startOnly('open-session');
  driver.apply({ type: 'command-failed', command, code: 'store_unavailable' });
  driver.nowMs += 30 * 24 * 3_600_000;
  driver.apply({ type: 'time' });
  driver.open({ task: {} });
  driver.apply({ type: 'time' });
  driver.reply(driver.startOnly('call-model'));
  driver.endTurn();
  expect(driver.startOnly('close-session').reason).toBe('task_ended');
});

test('a cancel and a close, as Temporal asks for them, end the turn and then the task', () => {
  const { driver, callModel } = taskInModelCall();
  driver.message('m2');
  driver.apply({ type: 'cancel', signal: { keepQueue: false } });
  driver.apply({ type: 'close', reason: 'cancelled' });
  driver.apply({ type: 'command-failed', command: callModel, code: 'cancelled' });
  expect(driver.endTurn().input).toMatchObject({
    outcome: 'cancelled',
    discard: [{ messageId: 'm2', mode: 'followup' }],
  });
  expect(driver.close().reason).toBe('cancelled');
  expect(resultOf(driver)).toMatchObject({ outcome: 'cancelled' });
});

test('a cancel before a task was open cancels its turn', () => {
  const driver = new SessionDriver(TASK);
  driver.apply({ type: 'cancel', signal: { keepQueue: false } });
  driver.open({ task: {} });
  expect(driver.endTurn().input).toMatchObject({ outcome: 'cancelled', opening: { messageId: 'm1' } });
  driver.close();
  expect(resultOf(driver)).toMatchObject({ outcome: 'cancelled' });
});

test('a task that waits for a person can be carried to another run and still knows what it is', () => {
  const { driver, callModel } = taskInModelCall({ returnText: true });
  driver.reply(callModel, [reviewed(1)]);
  const carried = JSON.parse(JSON.stringify(driver.state));
  expect(carried).toEqual(driver.state);
  expect(carried.task).toEqual({ returnText: true });
});
