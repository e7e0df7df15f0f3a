import { describeBothStores } from './both-stores';
import {
  AT,
  approve,
  codeOf,
  logOf,
  message,
  newKey,
  openedSession,
  reply,
  sessionInTurn,
  sessionWithQuestion,
  settle,
  userMessage,
} from './session-under-test';

describeBothStores('what a gateway stores', (database) => {
  const store = () => database().store;

  it('creates a session once, and tells the same request from another', async () => {
    const input = { ...newKey(), agent: 'workspace', message: message('m1'), at: AT };
    expect(await store().createSession(input)).toEqual({ status: 'created' });
    expect(await store().createSession({ ...input, at: '2027-01-01T00:00:00.000Z' })).toEqual({ status: 'same' });
    const exists = { status: 'conflict', code: 'session_exists' };
    expect(await store().createSession({ ...input, message: message('m1', 'other') })).toEqual(exists);
    expect(await store().createSession({ ...input, agent: 'other' })).toEqual(exists);
    const rows = await database().query(`select id from inbox where session = '${input.sessionId}'`);
    expect(rows).toEqual([{ id: 'm1' }]);
  });

  it('creates a session once when it is asked several times at once', async () => {
    const input = { ...newKey(), agent: 'workspace', message: message('m1'), at: AT };
    const all = await Promise.all([1, 2, 3, 4].map(() => store().createSession(input)));
    expect(all.map(({ status }) => status).sort()).toEqual(['created', 'same', 'same', 'same']);
  });

  it('says that a session exists which was started in Temporal alone', async () => {
    const fence = { ...newKey(), runId: 'run-1' };
    await store().openSession(fence, { agent: 'workspace', createRow: true, at: AT });
    const input = { ...fence, agent: 'workspace', message: message('m1'), at: AT };
    expect(await store().createSession(input)).toEqual({ status: 'conflict', code: 'session_exists' });
  });

  it('stores a message once, and refuses another one of the same id', async () => {
    const fence = await openedSession(store());
    const put = (id: string, content?: string) =>
      store().putMessage({ ...fence, message: message(id, content), at: AT });
    expect(await put('m2')).toEqual({ status: 'created' });
    expect(await put('m2')).toEqual({ status: 'same' });
    expect(await put('m2', 'other')).toEqual({ status: 'conflict', code: 'idempotency_conflict' });
    expect(await store().putMessage({ ...newKey(), message: message('m2'), at: AT })).toEqual({
      status: 'conflict',
      code: 'unknown_session',
    });
    expect(await store().readInboxMessage(fence, 'm2')).toEqual(message('m2'));
    expect(await store().readInboxMessage(fence, 'm3')).toBeUndefined();
  });

  it('refuses a message whose id the log knows from a signal: its row would wait for ever', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [userMessage('m2', { turn: 1, round: 2 })], at: AT });
    const put = store().putMessage({ ...fence, message: message('m2'), at: AT });
    expect(await put).toEqual({ status: 'conflict', code: 'idempotency_conflict' });
  });

  it('keeps a message of a megabyte with NUL and emoji', async () => {
    const fence = await openedSession(store());
    const content = `\u0000\u{1f600}${'\u00e4'.repeat(524_288)}`;
    await store().putMessage({ ...fence, message: message('m2', content), at: AT });
    expect((await store().readInboxMessage(fence, 'm2'))?.content).toBe(content);
  });

  it('refuses text nobody can store', async () => {
    const fence = await openedSession(store());
    const put = (content: string) => store().putMessage({ ...fence, message: message('m2', content), at: AT });
    expect(await codeOf(put('\ud800'))).toBe('not_canonical');
    expect(await put('fine')).toEqual({ status: 'created' });
  });

  it('stores a decision once, for an approval of its tenant', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const input = decision(approval.approvalId, 'd-1');
    const { sessionId } = fence;
    expect(await store().putDecision(input)).toEqual({ status: 'created', sessionId });
    const later = { ...input, decidedAt: '2027-01-01T00:00:00.000Z' };
    expect(await store().putDecision(later)).toEqual({ status: 'same', sessionId });
    const other = { ...input, comment: 'other' };
    expect(await store().putDecision(other)).toMatchObject({ status: 'conflict', code: 'idempotency_conflict' });
    const unknown = { status: 'conflict', code: 'unknown_approval' };
    expect(await store().putDecision({ ...input, tenant: 'other' })).toEqual(unknown);
    expect(await store().putDecision(decision('ap_nowhere', 'd-1'))).toEqual(unknown);
    expect(await store().readDecisionOutcome('default', approval.approvalId, 'd-1')).toBeUndefined();
    await store().settleApproval(fence, settle(approval));
    expect(await store().readDecisionOutcome('default', approval.approvalId, 'd-1')).toBe('taken');
    expect(await store().putDecision(input)).toEqual({ status: 'same', sessionId });
  });

  it('does not let a forged signal answer for a decision of the same id', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const forged = { ...approve(), argumentsDigest: 'forged', decisionId: 'd-1' };
    await store().settleApproval(fence, settle(approval, { candidates: [forged] }));
    const put = await store().putDecision(decision(approval.approvalId, 'd-1'));
    expect(put).toMatchObject({ status: 'conflict', code: 'idempotency_conflict' });
    expect(await store().putDecision(decision(approval.approvalId, 'd-2'))).toMatchObject({ status: 'created' });
    const settled = await store().settleApproval(fence, settle(approval));
    expect(settled).toMatchObject({ outcome: 'taken', approval: 'approved' });
  });

  it('pages through the entries of a session', async () => {
    const fence = await sessionInTurn(store());
    const log = await logOf(store(), fence);
    expect(await store().listEntries(fence, 0, 2)).toEqual(log.slice(0, 2));
    expect(await store().listEntries(fence, 2, 2)).toEqual(log.slice(2));
    expect(await store().listEntries(fence, 3, 2)).toEqual([]);
    expect(await store().listEntries(newKey(), 0, 2)).toBeUndefined();
    expect(await codeOf(store().readEntries(newKey(), 0, 2))).toBe('unknown_session');
  });

  it('ends a page of entries at 8 MiB, and never before its first one', async () => {
    const fence = await sessionInTurn(store());
    const { length } = await logOf(store(), fence);
    for (const [index, mebibytes] of [3, 3, 3, 9, 1].entries()) {
      const text = 'x'.repeat(mebibytes * 1_048_576);
      await store().append(fence, { entries: [reply(1, index + 1, [], text)], at: AT });
    }
    const pages: number[] = [];
    for (let after = length; ; ) {
      const page = (await store().listEntries(fence, after, 500)) ?? [];
      const last = page.at(-1);
      if (last === undefined) {
        break;
      }
      pages.push(page.length);
      after = last.seq;
    }
    expect(pages).toEqual([2, 1, 1, 1]);
    expect(await store().readEntries(fence, length, 500)).toHaveLength(5);
    const shorter = [4, 7].map((mebibytes) => store().listEntries(fence, length, 500, mebibytes * 1_048_576));
    expect((await Promise.all(shorter)).map((page) => page?.length)).toEqual([1, 2]);
  });

  it('has no entries behind the highest number a client may name', async () => {
    const fence = await sessionInTurn(store());
    expect(await store().listEntries(fence, Number.MAX_SAFE_INTEGER, 500)).toEqual([]);
  });

  it('shows the newest version of each agent', async () => {
    const tenant = 'agents';
    const agent = (name: string, digest: string) => ({ name, digest, definition: { model: `m\u0000-${digest}` } });
    expect(await store().listAgents(tenant)).toEqual([]);
    await store().publishAgents([agent('a', '1'), agent('b', '1')], tenant);
    await store().publishAgents([agent('a', '2')], tenant);
    expect(await store().listAgents(tenant)).toEqual([agent('a', '2'), agent('b', '1')]);
    await store().publishAgents([agent('a', '1')], tenant);
    expect(await store().listAgents(tenant)).toEqual([agent('a', '1'), agent('b', '1')]);
    // A clock that was set back does not bring an old version to the front.
    await database().query(`update agent_versions set published_ms = published_ms + 600000 where tenant = '${tenant}'`);
    await store().publishAgents([agent('a', '3')], tenant);
    expect((await store().listAgents(tenant)).map(({ digest }) => digest)).toEqual(['3', '1']);
    await store().publishAgents([], tenant);
  });

  it('keeps one secret salt for a session', async () => {
    const [first, second] = [await openedSession(store()), await openedSession(store())];
    const salt = await store().readDigestSalt(first);
    expect(salt).toHaveLength(32);
    expect(await store().readDigestSalt(first)).toEqual(salt);
    expect(await store().readDigestSalt(second)).not.toEqual(salt);
    expect(await codeOf(store().readDigestSalt(newKey()))).toBe('unknown_session');
  });

  it('answers', async () => {
    await store().ping();
    expect(Math.abs((await store().clockMs()) - Date.now())).toBeLessThan(5_000);
  });

  function decision(approvalId: string, decisionId: string) {
    return {
      tenant: 'default',
      approvalId,
      decisionId,
      ...approve({ principal: 'local' }),
      provenance: 'authenticated',
      decidedAt: AT,
    } as const;
  }
});
