import type { RunFence } from '../../../src/core/ports/worker-store';
import type { MessageMode } from '../../../src/core/sessions';
import { describeBothStores } from './both-stores';
import { AT, ending, message, newKey, sessionInTurn, userMessage } from './session-under-test';

describeBothStores('a message that wakes nothing', (database) => {
  const store = () => database().store;

  it('leaves an idle session idle, while the others make it running', async () => {
    for (const [mode, status] of [
      ['inject', 'idle'],
      ['steer', 'running'],
      ['followup', 'running'],
    ] as const) {
      const fence = await idleSession();
      await put(fence, 'm2', mode);
      expect([mode, await statusOf(fence)]).toEqual([mode, status]);
    }
  });

  it('hides no other one behind it', async () => {
    const fence = await idleSession();
    await put(fence, 'm2', 'inject');
    await put(fence, 'm3', 'followup');
    expect(await statusOf(fence)).toBe('running');
    expect(await unfinished(fence)).toEqual([{ ...keyOf(fence), agent: 'workspace', untakenMessageId: 'm3' }]);
  });

  it('leaves a closed session closed', async () => {
    const fence = await idleSession();
    await store().closeSession(fence, { reason: 'idle', at: AT });
    await put(fence, 'm2', 'inject');
    expect(await statusOf(fence)).toBe('closed');
    await put(fence, 'm3', 'steer');
    expect(await statusOf(fence)).toBe('running');
  });

  it('is nothing to revive an idle session for, and waits in the inbox of the next run', async () => {
    const fence = await idleSession();
    await put(fence, 'm2', 'inject');
    expect(await unfinished(fence)).toEqual([]);
    const opened = await store().openSession(fence, { agent: 'workspace', createRow: false, at: AT });
    expect(opened.inbox).toMatchObject([{ messageId: 'm2', mode: 'inject' }]);
  });

  it('does not stand for a message to start with in a turn that was left open', async () => {
    const fence = await sessionInTurn(store());
    await put(fence, 'm2', 'inject');
    expect(await statusOf(fence)).toBe('running');
    expect(await unfinished(fence)).toEqual([{ ...keyOf(fence), agent: 'workspace' }]);
  });

  it('is known again as taken once it was', async () => {
    const fence = await sessionInTurn(store());
    expect(await put(fence, 'm2', 'inject')).toEqual({ status: 'created' });
    expect(await put(fence, 'm2', 'inject')).toEqual({ status: 'same' });
    await store().append(fence, { entries: [userMessage('m2', { turn: 1, round: 2 })], takes: ['m2'], at: AT });
    expect(await put(fence, 'm2', 'inject')).toEqual({ status: 'same', isTaken: true });
    const first = { ...fence, agent: 'workspace', message: message('m1'), at: AT };
    expect(await store().createSession(first)).toEqual({ status: 'same', isTaken: true });
  });

  async function idleSession(): Promise<RunFence> {
    const fence = await sessionInTurn(store(), newKey());
    await store().endTurn(fence, ending(1));
    return fence;
  }

  function put(fence: RunFence, id: string, mode: MessageMode) {
    return store().putMessage({ ...fence, message: { ...message(id), mode }, at: AT });
  }

  async function statusOf(fence: RunFence) {
    return (await store().readSession(fence))?.status;
  }

  async function unfinished({ sessionId }: RunFence) {
    await database().query(`update sessions set changed_ms = changed_ms - 120000 where session = '${sessionId}'`);
    const rows = await store().listUnfinished(60_000, 10_000);
    return rows.filter((row) => row.sessionId === sessionId);
  }

  function keyOf({ tenant, sessionId }: RunFence) {
    return { tenant, sessionId };
  }
});
