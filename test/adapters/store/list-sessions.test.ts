import type { SessionPlace } from '../../../src/core/ports/gateway-store';
import type { RunFence } from '../../../src/core/ports/worker-store';
import type { SessionStatus, SessionView } from '../../../src/core/sessions';
import { describeBothStores } from './both-stores';
import { AT, ending, message, newKey, question, reply, requested, sessionInTurn } from './session-under-test';

describeBothStores('listSessions', (database) => {
  const store = () => database().store;

  it('shows each session as reading it alone does, and finds it by its status and by no other', async () => {
    const tenant = 'every-status';
    const made = await oneOfEach(tenant);
    const all = await list(tenant, {});
    expect(all).toHaveLength(9);
    for (const view of all) {
      expect(await store().readSession({ tenant, sessionId: view.sessionId } as RunFence)).toEqual(view);
    }
    for (const [status, sessions] of Object.entries(made)) {
      const listed = await list(tenant, { status: status as SessionStatus });
      expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual([...sessions].sort());
      expect(listed.map((view) => view.status)).toEqual(sessions.map(() => status));
    }
  });

  it('shows open questions in the order they were asked', async () => {
    const fence = await asking(newKey('with-questions'), 3);
    const [view] = await list('with-questions', {});
    expect(view?.openApprovals).toEqual([1, 2, 3].map((ordinal) => question(fence, { ordinal }).approvalId));
  });

  it('shows each session exactly once in a chain of pages, newest first, whatever is made and changed meanwhile', async () => {
    const tenant = 'many';
    for (let index = 0; index < 30; index += 1) {
      await create(tenant, `old_${String(index).padStart(2, '0')}`, `2026-03-01T10:00:00.00${index % 3}Z`);
    }
    const expected = (await list(tenant, {})).map(({ sessionId }) => sessionId);
    const places = (await list(tenant, {})).map(({ createdAt, sessionId }) => `${createdAt} ${sessionId}`);
    expect(places).toEqual([...places].sort().reverse());
    const seen: string[] = [];
    for (let after: SessionPlace | null | undefined; after !== null; ) {
      const page = await store().listSessions(tenant, { limit: 7, ...(after === undefined ? {} : { after }) });
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      after = page.next;
      // A new one comes in front of what was seen; one that was not seen yet goes on to another status.
      await create(tenant, `new_${seen.length}`, '2026-03-02T10:00:00.000Z');
      await store().putMessage({
        ...newKey(tenant),
        sessionId: 'old_00',
        message: message(`m${seen.length}`),
        at: AT,
      } as never);
    }
    expect(seen).toEqual(expected);
  });

  it('ends on a full last page, and is empty for who has none', async () => {
    await create('full', 'a', AT);
    await create('full', 'b', AT);
    expect(await store().listSessions('full', { limit: 2 })).toMatchObject({ sessions: [{}, {}], next: null });
    expect(await store().listSessions('full', { limit: 1 })).toMatchObject({ next: { createdAt: AT, sessionId: 'b' } });
    expect(await store().listSessions('nobody', { limit: 1 })).toEqual({ sessions: [], next: null });
  });

  it('finds those of one agent', async () => {
    await create('agents', 'a', AT);
    await store().createSession({ ...newKey('agents'), agent: 'other', message: message('m1'), at: AT });
    expect((await list('agents', { agent: 'workspace' })).map(({ sessionId }) => sessionId)).toEqual(['a']);
    expect(await list('agents', { agent: 'nobody' })).toEqual([]);
  });

  it('shows no session of another tenant and none that is erased', async () => {
    await create('mine', 'a', AT);
    await create('mine', 'b', AT);
    await create('theirs', 'c', AT);
    await database().query("update sessions set state = 'erased' where tenant = 'mine' and session = 'a'");
    expect((await list('mine', {})).map(({ sessionId }) => sessionId)).toEqual(['b']);
  });

  /** Sessions by what they are doing. */
  async function oneOfEach(tenant: string): Promise<Readonly<Record<SessionStatus, readonly string[]>>> {
    const waiting = await asking(newKey(tenant), 1);
    const running = await sessionInTurn(store(), newKey(tenant));
    const unopened = await create(tenant, 'unopened', AT);
    const idle = await endedSession(tenant);
    const asked = await endedSession(tenant, 'outcome');
    const closed = await endedSession(tenant);
    await store().closeSession(closed, { reason: 'requested', at: AT });
    const awaited = await endedSession(tenant);
    await store().closeSession(awaited, { reason: 'requested', at: AT });
    await store().putMessage({ ...awaited, message: message('m2'), at: AT });
    const injected = await endedSession(tenant);
    await store().putMessage({ ...injected, message: { ...message('m2'), mode: 'inject' }, at: AT });
    const blocked = await asking(newKey(tenant), 1);
    await store().setBlocked(blocked, 'log_behind');
    const ids = (...sessions: readonly { readonly sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId);
    return {
      waiting_for_approval: ids(waiting),
      running: ids(running, unopened, awaited),
      idle: ids(idle, asked, injected),
      closed: ids(closed),
      blocked: ids(blocked),
    };
  }

  async function asking(key: ReturnType<typeof newKey>, count: number): Promise<RunFence> {
    const fence = await sessionInTurn(store(), key);
    const approvals = Array.from({ length: count }, (_, index) => question(fence, { ordinal: index + 1 }));
    await store().append(fence, { entries: [reply(1, 1), ...approvals.map(requested)], approvals, at: AT });
    return fence;
  }

  async function endedSession(tenant: string, kind?: 'outcome'): Promise<RunFence> {
    const fence = await sessionInTurn(store(), newKey(tenant));
    const approvals = kind === undefined ? [] : [question(fence, { kind })];
    await store().append(fence, { entries: [reply(1, 1), ...approvals.map(requested)], approvals, at: AT });
    await store().endTurn(fence, ending(1));
    return fence;
  }

  async function create(tenant: string, sessionId: string, at: string) {
    const key = { ...newKey(tenant), sessionId: sessionId as RunFence['sessionId'] };
    await store().createSession({ ...key, agent: 'workspace', message: message('m1'), at });
    return key;
  }

  async function list(
    tenant: string,
    filter: { readonly status?: SessionStatus; readonly agent?: string },
  ): Promise<readonly SessionView[]> {
    return (await store().listSessions(tenant, { ...filter, limit: 500 })).sessions;
  }
});
