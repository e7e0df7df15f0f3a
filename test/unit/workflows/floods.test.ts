import type { QueuedMessage } from '../../../src/core/activity-contracts';
import { canCarryMessages } from '../../../src/workflows/message-queue';
import { reviewed, type SessionDriver, sessionInModelCall, sessionWithCalls } from '../../support/session-driver';

/** The server takes 2 MiB, and a hostile character may need six bytes as JSON: this is a third of that. */
const CARRIED_CHARACTERS = 350_000;
const TEXT = 'x'.repeat(16_000);

function carriedCharacters({ state }: SessionDriver): number {
  return JSON.stringify(state).length;
}

/** Signals messages with ids from `m2` on, or from `m<first>`. */
function signalMessages(driver: SessionDriver, count: number, message: Partial<QueuedMessage>, first = 2): void {
  for (let index = first; index < first + count; index += 1) {
    driver.apply({ type: 'message', message: { mode: 'followup', ...message, messageId: `m${index}` } });
  }
}

/** Lets the session move texts to the store for as long as it wants to. */
function storeAll(driver: SessionDriver): readonly string[] {
  const stored: string[] = [];
  for (;;) {
    const command = driver.start().find((candidate) => candidate.type === 'store-messages');
    if (command?.type !== 'store-messages') {
      return stored;
    }
    stored.push(...command.input.messages.map(({ messageId }) => messageId));
    driver.apply({ type: 'messages-stored', command, result: { v: 1, status: 'stored', last: [9, 'd9'] } });
  }
}

function queuedIds({ state }: SessionDriver): readonly string[] {
  return state.queue.map(({ messageId }) => messageId);
}

function decideMany(driver: SessionDriver, count: number, approvalId: (index: number) => string, comment = TEXT): void {
  for (let index = 0; index < count; index += 1) {
    const candidate = { decision: 'approve', argumentsDigest: `d${index}`, comment };
    driver.apply({ type: 'decide', signal: { approvalId: approvalId(index), candidate } });
  }
}

describe('a flood of decisions', () => {
  test.each([
    ['one open question', () => 'ap_1'],
    ['questions nobody asked', (index: number) => `bogus${index}`],
  ])('with long comments about %s leaves a state that can be carried', (_name, approvalId) => {
    const driver = sessionWithCalls(reviewed(1));
    decideMany(driver, 5_000, approvalId);
    expect(carriedCharacters(driver)).toBeLessThan(CARRIED_CHARACTERS);
    expect(driver.state.droppedSignals).toBeGreaterThan(4_900);
  });

  test.each([
    ['short', ''],
    ['long', 'x'.repeat(6_000)],
  ])('with %s comments about questions nobody asked keeps out no decision about an open one', (_name, comment) => {
    const driver = sessionWithCalls(reviewed(1));
    decideMany(driver, 5_000, (index) => `bogus${index}`, comment);
    const candidate = { decision: 'approve', argumentsDigest: 'a1', comment: TEXT };
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1', candidate } });
    expect(driver.startOnly('settle-approval').input).toMatchObject({ approvalId: 'ap_1', candidates: [candidate] });
  });

  test('about many open questions keeps out no stored decision about one of them', () => {
    const questions = 11;
    const driver = sessionWithCalls(...Array.from({ length: questions }, (_, index) => reviewed(index + 1)));
    decideMany(driver, 5_000, (index) => `ap_${1 + (index % (questions - 1))}`, '');
    driver.apply({ type: 'decide', signal: { approvalId: `ap_${questions}` } });
    expect(driver.state.decisions.at(-1)).toMatchObject({ approvalId: `ap_${questions}`, wake: true });
  });

  test('hides no stored decision about a question that comes up later', () => {
    const { driver, callModel } = sessionInModelCall();
    for (let index = 0; index < 5_000; index += 1) {
      driver.apply({ type: 'decide', signal: { approvalId: `bogus${index}` } });
    }
    driver.apply({ type: 'decide', signal: { approvalId: 'ap_1' } });
    expect(driver.state.decisions.some(({ approvalId }) => approvalId === 'ap_1')).toBe(false);
    driver.reply(callModel, [reviewed(1)]);
    expect(driver.startOnly('settle-approval').input.approvalId).toBe('ap_1');
  });
});

describe('a flood of messages', () => {
  test('with their texts is moved to the store, in order, and leaves a state that can be carried', () => {
    const driver = sessionWithCalls(reviewed(1));
    signalMessages(driver, 200, { content: TEXT });
    expect(canCarryMessages(driver.state)).toBe(false);
    const sent = driver.state.queue.map(({ messageId }) => messageId);
    const stored = storeAll(driver);
    expect(stored).toEqual(sent.slice(0, stored.length));
    expect(queuedIds(driver)).toEqual(sent);
    expect(canCarryMessages(driver.state)).toBe(true);
    expect(carriedCharacters(driver)).toBeLessThan(CARRIED_CHARACTERS);
  });

  test('of a few texts stays where it is: the next model call takes them', () => {
    const driver = sessionWithCalls(reviewed(1));
    signalMessages(driver, 4, { content: 'short' });
    expect(driver.start()).toEqual([]);
    expect(driver.state.queue.every(({ content }) => content === 'short')).toBe(true);
  });

  test('of references is left to the store, and read from there when the others are worked off', () => {
    const driver = sessionWithCalls(reviewed(1));
    signalMessages(driver, 10_000, {});
    expect(carriedCharacters(driver)).toBeLessThan(CARRIED_CHARACTERS);
    const queued = queuedIds(driver).length;
    expect(queued).toBeLessThan(2_000);
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    driver.endTurn();
    driver.open({ nextTurn: 2, inbox: [{ messageId: `m${queued + 2}`, mode: 'followup' }], more: true });
    expect(driver.startOnly('call-model').input.messages?.[0]?.messageId).toBe(`m${queued + 2}`);
    expect(driver.state.moreStored).toBe(true);
  });

  test('ends: a session that finds nothing more in the store rests', () => {
    const driver = sessionWithCalls(reviewed(1));
    signalMessages(driver, 10_000, {});
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    driver.endTurn();
    driver.open({ nextTurn: 2 });
    expect(driver.state.phase).toBe('idle');
    expect(driver.start()).toEqual([]);
  });

  test('that wakes nothing opens a turn once the queue is full of it', () => {
    const driver = sessionWithCalls(reviewed(1));
    driver.apply({ type: 'cancel', signal: { keepQueue: false } });
    driver.endTurn();
    signalMessages(driver, 3, { mode: 'inject' });
    expect(driver.start()).toEqual([]);
    signalMessages(driver, 10_000, { mode: 'inject' }, 5);
    expect(driver.startOnly('call-model').input.messages?.[0]?.mode).toBe('inject');
  });

  test('of steering texts joins one model call after the other', () => {
    const { driver, callModel } = sessionInModelCall();
    signalMessages(driver, 10, { content: TEXT, mode: 'steer' });
    driver.reply(callModel, []);
    const first = driver.start().find((command) => command.type === 'call-model');
    expect(first?.type === 'call-model' && first.input.messages?.length).toBe(4);
    driver.reply(first as never, []);
    const second = driver.start().find((command) => command.type === 'call-model');
    expect(second?.type === 'call-model' && second.input.messages?.map(({ messageId }) => messageId)).toEqual([
      'm6',
      'm7',
      'm8',
      'm9',
    ]);
  });

  test('waits out a store that is down, and is not carried while it is too large', () => {
    const driver = sessionWithCalls(reviewed(1));
    signalMessages(driver, 200, { content: TEXT });
    const command = driver.startOnly('store-messages');
    driver.apply({ type: 'command-failed', command, code: 'store_unavailable' });
    expect(driver.start()).toEqual([]);
    expect(canCarryMessages(driver.state)).toBe(false);
    driver.nowMs += 1_000;
    driver.apply({ type: 'time' });
    expect(storeAll(driver).length).toBeGreaterThan(190);
  });
});
