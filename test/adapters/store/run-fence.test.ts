import { describeBothStores } from './both-stores';
import {
  AT,
  codeOf,
  entriesOf,
  logOf,
  message,
  newKey,
  openedSession,
  RUN,
  reply,
  result,
  sessionInTurn,
} from './session-under-test';

describeBothStores('the fence', (database) => {
  const store = () => database().store;

  it('keeps out every run but the one in the row, and names that one', async () => {
    const fence = await sessionInTurn(store());
    const other = { ...fence, runId: 'run-2' };
    await expect(store().append(other, { entries: [reply(1, 1)], at: AT })).rejects.toMatchObject({
      code: 'run_mismatch',
      details: { storedRunId: RUN },
    });
    expect(await store().claimRun(fence, 'run-0', 'run-2')).toBe(false);
    expect(await store().claimRun(fence, RUN, 'run-2')).toBe(true);
    expect(await codeOf(store().append(fence, { entries: [reply(1, 1)], at: AT }))).toBe('run_mismatch');
    expect((await store().append(other, { entries: [reply(1, 1)], at: AT })).status).toBe('written');
  });

  it('lets one of two runs claim a session', async () => {
    const key = newKey();
    await store().createSession({ ...key, agent: 'workspace', message: message('m1'), at: AT });
    const claims = ['run-a', 'run-b', 'run-c'].map((runId) => store().claimRun(key, '', runId));
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
  });

  it('repeats a claim whose acknowledgement was lost', async () => {
    const fence = await openedSession(store());
    expect(await store().claimRun(fence, 'run-0', RUN)).toBe(true);
  });

  it('refuses a run that has seen more than the log holds, or something else', async () => {
    const fence = await sessionInTurn(store());
    const log = await logOf(store(), fence);
    const digest = log[1]?.digest ?? '';
    const attempt = (last: readonly [number, string]) =>
      codeOf(store().append({ ...fence, last }, { entries: [reply(1, 1)], at: AT }));
    expect(await attempt([9, digest])).toBe('log_behind');
    expect(await attempt([3, digest])).toBe('log_behind');
    expect(await attempt([2, 'x'.repeat(43)])).toBe('log_behind');
    expect(await attempt([2, ''])).toBe('log_behind');
    expect(await logOf(store(), fence)).toEqual(log);
    expect(await attempt([2, digest.slice(0, 22)])).toBe('nothing');
    expect(await attempt([2, digest])).toBe('nothing');
  });

  it('refuses to write while the turn or the call is closed', async () => {
    const fence = await sessionInTurn(store());
    const guarded = (ordinal: number) => ({
      entries: [{ ...result(1, 1, ordinal), key: `t1.r1.c${ordinal}.policy` }] as const,
      onlyWhileOpen: { turn: 1, callId: `t1-r1-c${ordinal}` },
      at: AT,
    });
    await store().append(fence, { entries: [result(1, 1, 1)], at: AT });
    expect((await store().append(fence, guarded(1))).status).toBe('answered');
    expect((await store().append(fence, guarded(2))).status).toBe('written');
    const end = { turn: 1, outcome: 'completed', rounds: 1, calls: 0, activeMs: 0, answers: [], discards: [] } as const;
    await store().endTurn(fence, { ...end, at: AT });
    expect((await store().append(fence, guarded(3))).status).toBe('turn_ended');
    expect((await store().append(fence, guarded(2))).status).toBe('existing');
  });

  it('lets a late result pass, once', async () => {
    const fence = await sessionInTurn(store());
    const data = { try: 1, status: 'success', text: 'late' } as const;
    const late = {
      key: 't1.r1.c1.late.1',
      type: 'tool.late_result',
      turn: 1,
      round: 1,
      callId: 't1-r1-c1',
      data,
    } as const;
    await store().appendLateResult(fence, late, AT);
    await store().appendLateResult(fence, late, AT);
    expect(await entriesOf(store(), fence, 'tool.late_result')).toHaveLength(1);
  });

  it('tells unknown, erased and newer sessions apart', async () => {
    const fence = await sessionInTurn(store());
    const attempt = () => codeOf(store().append(fence, { entries: [reply(1, 1)], at: AT }));
    const set = (change: string) =>
      database().query(`update sessions set ${change} where session = '${fence.sessionId}'`);
    expect(await codeOf(store().append({ ...fence, ...newKey() }, { entries: [reply(1, 1)], at: AT }))).toBe(
      'unknown_session',
    );
    await set('log_format = 2');
    expect(await attempt()).toBe('log_format_newer');
    expect(await codeOf(logOf(store(), fence))).toBe('log_format_newer');
    await set("log_format = 1, state = 'erasing'");
    expect(await attempt()).toBe('session_erased');
    expect(await codeOf(logOf(store(), fence))).toBe('session_erased');
    expect(await store().putMessage({ ...fence, message: message('m7'), at: AT })).toEqual({
      status: 'conflict',
      code: 'session_erased',
    });
  });
});
