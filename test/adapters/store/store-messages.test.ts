import { describeBothStores } from './both-stores';
import { AT, codeOf, message, openedSession, sessionInTurn, userMessage } from './session-under-test';

const fromSignal = (messageId: string, content = 'signalled') =>
  ({ messageId, mode: 'followup', content, principal: undefined, provenance: 'request' }) as const;

describeBothStores('storeMessages', (database) => {
  const store = () => database().store;

  it('keeps messages of signals in their order, as ones that nobody has to deliver', async () => {
    const fence = await sessionInTurn(store());
    const { last } = await store().storeMessages(fence, { messages: [fromSignal('b'), fromSignal('a')], at: AT });
    expect(last?.[0]).toBe(3);
    const opened = await store().openSession(fence, { agent: 'workspace', createRow: false, at: AT });
    expect(opened.inbox.map(({ messageId, content }) => [messageId, content])).toEqual([
      ['b', 'signalled'],
      ['a', 'signalled'],
    ]);
    expect(opened.more).toBe(false);
    const left = await store().listUndelivered(-60_000, 10_000);
    expect(left.filter(({ sessionId, id }) => sessionId === fence.sessionId && id !== 'm1')).toEqual([]);
    const { provenance } = (await store().readInboxMessage(fence, 'a')) ?? {};
    expect(provenance).toBe('request');
  });

  it('skips what the inbox or the log has under the same id, and repeats harmlessly', async () => {
    const fence = await sessionInTurn(store());
    await store().putMessage({ ...fence, message: message('m2', 'posted'), at: AT });
    await store().append(fence, { entries: [userMessage('m3', { turn: 1, round: 2 })], at: AT });
    const messages = [fromSignal('m2'), fromSignal('m3'), fromSignal('m4')];
    await store().storeMessages(fence, { messages, at: AT });
    await store().storeMessages(fence, { messages, at: AT });
    const opened = await store().openSession(fence, { agent: 'workspace', createRow: false, at: AT });
    expect(opened.inbox.map(({ messageId, content }) => [messageId, content])).toEqual([
      ['m2', 'posted'],
      ['m4', 'signalled'],
    ]);
  });

  it('is refused to a run that may not write', async () => {
    const fence = await openedSession(store());
    const messages = [fromSignal('m2')];
    expect(await codeOf(store().storeMessages({ ...fence, runId: 'other' }, { messages, at: AT }))).toBe(
      'run_mismatch',
    );
    expect(await store().readInboxMessage(fence, 'm2')).toBeUndefined();
  });

  it('tells a session of 500 messages at once, and that there are more', async () => {
    const fence = await openedSession(store());
    const messages = Array.from({ length: 600 }, (_, index) => fromSignal(`s${index}`));
    await store().storeMessages(fence, { messages, at: AT });
    const opened = await store().openSession(fence, { agent: 'workspace', createRow: false, at: AT });
    expect([opened.inbox.length, opened.inbox[0]?.messageId, opened.more]).toEqual([500, 'm1', true]);
  });
});
