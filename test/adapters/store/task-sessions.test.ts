import type { SessionKey } from '../../../src/core/ids';
import type { SessionOptions } from '../../../src/core/sessions';
import { verifyChain } from '../../../src/digests/verify-chain';
import { describeBothStores, readChain } from './both-stores';
import { AT, codeOf, ending, entriesOf, logOf, message, newKey, opening, RUN } from './session-under-test';

const OPTIONS = { mode: 'task', limits: { roundsPerTurn: 2 }, metadata: { ticket: '7' } } as const;
const OPEN = { agent: 'workspace', createRow: false, at: AT } as const;

describeBothStores('a task', (database) => {
  const store = () => database().store;

  async function created(options: SessionOptions & { readonly isAnnounced?: boolean } = OPTIONS): Promise<SessionKey> {
    const key = newKey();
    await store().createSession({ ...key, agent: 'workspace', message: message('m1'), at: AT, ...options });
    return key;
  }

  /** A task that a run has opened. */
  async function opened(options: SessionOptions = OPTIONS) {
    const key = await created(options);
    await store().claimRun(key, '', RUN);
    const fence = { ...key, runId: RUN };
    return { fence, result: await store().openSession(fence, OPEN) };
  }

  /** A task whose turn has ended, with messages that came too late for it. */
  async function ended(...late: readonly string[]) {
    const { fence } = await opened();
    await store().append(fence, { entries: opening(1, 'm1'), at: AT, takes: ['m1'] });
    for (const id of late) {
      await store().putMessage({ ...fence, message: message(id, `text of ${id}`), at: AT });
    }
    await store().endTurn(fence, ending(1, { outcome: 'failed', code: 'model_auth' }));
    return fence;
  }

  it('keeps mode, limits and metadata on its row, and what concerns its work in its log', async () => {
    const { fence, result } = await opened();
    expect(result).toMatchObject({ limits: { roundsPerTurn: 2 }, task: {} });
    expect(await store().readSession(fence)).toMatchObject({ ...OPTIONS, status: 'running' });
    expect((await entriesOf(store(), fence, 'session.started'))[0]?.data).toEqual({
      agent: 'workspace',
      origin: 'gateway',
      formatVersion: 1,
      task: true,
      limits: { roundsPerTurn: 2 },
    });
  });

  it('is a conversation unless it says otherwise, and says nothing of options it has not', async () => {
    const { fence, result } = await opened({ limits: {}, metadata: {} });
    expect(result).toMatchObject({ limits: undefined, task: undefined });
    const view = await store().readSession(fence);
    expect(view).toMatchObject({ mode: 'conversation' });
    expect(view).not.toHaveProperty('limits');
    expect(view).not.toHaveProperty('metadata');
  });

  it.each<[string, SessionOptions]>([
    ['mode', { mode: 'conversation' }],
    ['limits', { ...OPTIONS, limits: { roundsPerTurn: 1 } }],
    ['metadata', { ...OPTIONS, metadata: { ticket: '8' } }],
  ])('is another session when its %s differs', async (_name, options) => {
    const key = await created();
    const again = { ...key, agent: 'workspace', message: message('m1'), at: AT };
    expect(await store().createSession({ ...again, ...OPTIONS })).toEqual({ status: 'same' });
    expect(await store().createSession({ ...again, ...options })).toMatchObject({ code: 'session_exists' });
  });

  it.each<[string, SessionOptions]>([
    ['a task where the row has a conversation', { mode: 'task' }],
    ['other limits', { limits: { roundsPerTurn: 1 } }],
    ['other metadata', { metadata: { ticket: '8' } }],
  ])('is not opened by a start that says %s', async (_name, options) => {
    const { fence } = await opened({ metadata: { ticket: '7' } });
    expect(await codeOf(store().openSession(fence, { ...OPEN, ...options }))).toBe('invalid_start');
  });

  it('is opened by a start that says the same, or nothing', async () => {
    const { fence } = await opened();
    await store().openSession(fence, { ...OPEN, ...OPTIONS });
    await store().openSession(fence, { ...OPEN, mode: 'conversation' });
    expect(await logOf(store(), fence)).toHaveLength(1);
  });

  it('is not opened for the first time with limits that widen, and leaves no row behind', async () => {
    const fence = { ...newKey(), runId: RUN };
    const widening = { ...OPEN, createRow: true, limits: { roundsPerTurn: 99 }, widening: ['roundsPerTurn'] };
    expect(await codeOf(store().openSession(fence, widening))).toBe('invalid_start');
    expect(await store().readSession(fence)).toBeUndefined();
    await store().openSession(fence, { ...OPEN, createRow: true, limits: { roundsPerTurn: 99 } });
    await store().openSession(fence, widening);
  });

  it('keeps what a start in Temporal alone says of it', async () => {
    const fence = { ...newKey(), runId: RUN };
    await store().openSession(fence, { ...OPEN, ...OPTIONS, createRow: true });
    expect(await store().readSession(fence)).toMatchObject(OPTIONS);
  });

  it('whose turn has ended takes no message any more, and knows those it has', async () => {
    const fence = await ended();
    const put = (id: string) => store().putMessage({ ...fence, message: message(id), at: AT });
    expect(await put('m2')).toEqual({ status: 'conflict', code: 'session_closed' });
    expect(await put('m1')).toEqual({ status: 'same', isTaken: true });
    await store().closeSession(fence, { reason: 'task_ended', at: AT });
    expect(await put('m2')).toEqual({ status: 'conflict', code: 'session_closed' });
  });

  it('logs as discarded what nobody has taken when it closes, once, and needs nobody any more', async () => {
    const fence = await ended('m2', 'm3');
    await store().closeSession(fence, { reason: 'task_ended', at: AT });
    await store().closeSession(fence, { reason: 'task_ended', at: AT });
    const messages = await entriesOf(store(), fence, 'user.message');
    expect(messages.map(({ data }) => [data.messageId, data.content, data.discarded])).toEqual([
      ['m1', 'hello', undefined],
      ['m2', 'text of m2', true],
      ['m3', 'text of m3', true],
    ]);
    expect(await store().readSession(fence)).toMatchObject({ status: 'closed' });
    const unfinished = await store().listUnfinished(0, 10_000, undefined);
    expect(unfinished.map(({ sessionId }) => sessionId)).not.toContain(fence.sessionId);
    expect(verifyChain(await readChain(database(), fence.tenant, fence.sessionId))).toBeUndefined();
  });

  it('leaves the messages of a conversation alone when it closes', async () => {
    const { fence } = await opened({});
    await store().closeSession(fence, { reason: 'idle', at: AT });
    expect(await entriesOf(store(), fence, 'user.message')).toEqual([]);
    expect(await store().readSession(fence)).toMatchObject({ status: 'running' });
  });

  it('is never opened again: a later run is told how its turn ended', async () => {
    const fence = await ended();
    const end = { turn: 1, messageId: 'm1', outcome: 'failed', code: 'model_auth' };
    expect((await store().openSession(fence, OPEN)).task).toEqual({ ended: end });
    await store().closeSession(fence, { reason: 'task_ended', at: AT });
    const log = await logOf(store(), fence);
    expect(await store().openSession(fence, OPEN)).toMatchObject({
      task: { ended: end },
      last: [log.at(-1)?.seq, expect.any(String)],
    });
    expect(await logOf(store(), fence)).toEqual(log);
    expect(await store().readSession(fence)).toMatchObject({ status: 'closed' });
  });
});

describeBothStores('an announced session', (database) => {
  const store = () => database().store;
  const announced = async (more: { readonly isAnnounced?: boolean } = { isAnnounced: true }) => {
    const key = newKey();
    await store().createSession({ ...key, agent: 'workspace', message: message('m1'), at: AT, ...more });
    return key;
  };
  const swept = async () => {
    const undelivered = await store().listUndelivered(0, 10_000);
    const unfinished = await store().listUnfinished(0, 10_000, undefined);
    return [...undelivered, ...unfinished].map(({ sessionId }) => sessionId);
  };

  it('is started by nobody but its announcer, and shown as idle meanwhile', async () => {
    const key = await announced();
    const plain = await announced({});
    expect(await swept()).not.toContain(key.sessionId);
    expect((await swept()).filter((id) => id === plain.sessionId)).toHaveLength(2);
    expect(await store().readSession(key)).toMatchObject({ status: 'idle', turn: null });
  });

  it('keeps messages that come before it is started', async () => {
    const key = await announced();
    const put = await store().putMessage({ ...key, message: message('m2'), at: AT });
    expect(put).toEqual({ status: 'created', isAnnounced: true });
    expect(await swept()).not.toContain(key.sessionId);
    await store().claimRun(key, '', RUN);
    const { inbox } = await store().openSession({ ...key, runId: RUN }, OPEN);
    expect(inbox.map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
  });

  it('is like any other once it was opened', async () => {
    const key = await announced();
    await store().claimRun(key, '', RUN);
    await store().openSession({ ...key, runId: RUN }, OPEN);
    expect(await swept()).toContain(key.sessionId);
    expect(await store().putMessage({ ...key, message: message('m2'), at: AT })).toEqual({ status: 'created' });
  });

  it('is like any other once it was started without an announcement', async () => {
    const key = await announced();
    const again = { ...key, agent: 'workspace', message: message('m1'), at: AT };
    expect(await store().createSession({ ...again, isAnnounced: true })).toEqual({ status: 'same' });
    expect(await swept()).not.toContain(key.sessionId);
    expect(await store().createSession(again)).toEqual({ status: 'same' });
    expect((await swept()).filter((id) => id === key.sessionId)).toHaveLength(2);
  });
});
