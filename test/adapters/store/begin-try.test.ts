import { describeBothStores } from './both-stores';
import {
  AT,
  approve,
  begin,
  codeOf,
  ending,
  entriesOf,
  result,
  sessionInTurn,
  sessionWithGrant,
  sessionWithQuestion,
  settle,
} from './session-under-test';

describeBothStores('beginTry', (database) => {
  const store = () => database().store;

  it('writes the begin record with a lease by the store clock, and uses the grant', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const before = await store().clockMs();
    const begun = await store().beginTry(fence, begin(approval, { timeoutMs: 5_000 }));
    const after = await store().clockMs();
    if (begun.status !== 'begun') {
      throw new Error(`It is ${begun.status}.`);
    }
    expect(begun.try).toBe(1);
    expect(begun.leaseUntilMs).toBe(begun.storeNowMs + 15_000);
    expect(begun.storeNowMs).toBeGreaterThanOrEqual(before);
    expect(begun.storeNowMs).toBeLessThanOrEqual(after);
    const [started] = await entriesOf(store(), fence, 'tool.started');
    expect(started).toMatchObject({ key: 't1.r1.c1.started.1', turn: 1, round: 1, callId: 't1-r1-c1' });
    expect(started?.data).toEqual({
      tool: 'write_file',
      try: 1,
      attemptToken: 'token-1',
      leaseUntil: new Date(begun.leaseUntilMs).toISOString(),
      idempotencyKey: 'key',
      approvalId: approval.approvalId,
    });
    expect((await store().readApproval(fence.tenant, approval.approvalId))?.usedBy).toBe('t1-r1-c1');
  });

  it('takes an attempt that finds its own token as begun, with the same try', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const first = await store().beginTry(fence, begin(approval));
    const again = await store().beginTry(fence, begin(approval));
    expect(again).toMatchObject({ status: 'begun', try: 1 });
    expect('leaseUntilMs' in again && again.leaseUntilMs).toBe('leaseUntilMs' in first && first.leaseUntilMs);
    expect(await entriesOf(store(), fence, 'tool.started')).toHaveLength(1);
  });

  it('keeps a second attempt out while the record of the first has no result', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const first = await store().beginTry(fence, begin(approval));
    const second = await store().beginTry(fence, begin(approval, { attemptToken: 'token-2' }));
    expect(second).toMatchObject({ status: 'busy', try: 1 });
    expect('leaseUntilMs' in second && second.leaseUntilMs).toBe('leaseUntilMs' in first && first.leaseUntilMs);
    expect(await entriesOf(store(), fence, 'tool.started')).toHaveLength(1);
  });

  it('lets one of several attempts begin', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const tokens = ['a', 'b', 'c', 'd'];
    const all = tokens.map((attemptToken) => store().beginTry(fence, begin(approval, { attemptToken })));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'begun')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'busy')).toHaveLength(3);
  });

  it('begins the next try when the fate of the latest one is settled', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().beginTry(fence, begin(approval));
    const next = await store().beginTry(fence, begin(approval, { attemptToken: 'token-2', afterTry: 1 }));
    expect(next).toMatchObject({ status: 'begun', try: 2 });
    const late = await store().beginTry(fence, begin(approval, { attemptToken: 'token-3', afterTry: 1 }));
    expect(late).toMatchObject({ status: 'busy', try: 2 });
    const old = await store().beginTry(fence, begin(approval));
    expect(old).toMatchObject({ status: 'busy', try: 2 });
  });

  it('begins at once behind a try that is known not to have run', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().beginTry(fence, begin(approval));
    await store().append(fence, { entries: [notRun(1)], at: AT });
    const next = await store().beginTry(fence, begin(approval, { attemptToken: 'token-2' }));
    expect(next).toMatchObject({ status: 'begun', try: 2 });
  });

  it('refuses a call that has a result, and returns it', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await store().append(fence, { entries: [result(1, 1, 1, { text: 'the first' })], at: AT });
    const outcome = await store().beginTry(fence, begin(approval));
    expect(outcome).toMatchObject({ status: 'answered', result: { data: { text: 'the first' } } });
    expect(await entriesOf(store(), fence, 'tool.started')).toHaveLength(0);
  });

  it('refuses a call of a turn that has ended, and a run that is not the one', async () => {
    const fence = await sessionInTurn(store());
    const other = { ...fence, runId: 'run-9' };
    expect(await codeOf(store().beginTry(other, begin(undefined)))).toBe('run_mismatch');
    await store().endTurn(fence, ending(1));
    expect((await store().beginTry(fence, begin(undefined))).status).toBe('turn_ended');
  });

  it('begins a call that needs no approval', async () => {
    const fence = await sessionInTurn(store());
    expect(await store().beginTry(fence, begin(undefined))).toMatchObject({ status: 'begun', try: 1 });
  });

  it('refuses a call whose approval is not approved, is for another call, or is not there', async () => {
    const { fence, approval } = await sessionWithQuestion(store());
    const attempt = (changes = {}) => store().beginTry(fence, begin(approval, changes));
    expect(await attempt()).toMatchObject({ status: 'not_granted', approval: 'pending' });
    expect(await attempt({ approvalId: 'ap_nowhere' })).toMatchObject({ status: 'not_granted', approval: undefined });
    await store().settleApproval(fence, settle(approval, { candidates: [approve()] }));
    const other = await attempt({ callId: 't1-r1-c2' });
    expect(other).toMatchObject({ status: 'not_granted', approval: 'approved' });
    expect(await entriesOf(store(), fence, 'tool.started')).toHaveLength(0);
    expect((await attempt()).status).toBe('begun');
  });

  it('refuses a grant of another session, even of the same tenant', async () => {
    const { approval } = await sessionWithGrant(store());
    const fence = await sessionInTurn(store());
    const attempt = await store().beginTry(fence, begin(approval));
    expect(attempt).toMatchObject({ status: 'not_granted', approval: undefined });
  });

  it('refuses a grant whose time has passed by the store clock', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    const record = await store().readApproval(fence.tenant, approval.approvalId);
    const usableMs = Date.parse(record?.useBy ?? '') - (await store().clockMs());
    expect(usableMs).toBeGreaterThan(50_000);
    expect(usableMs).toBeLessThanOrEqual(60_000);
    await database().query(
      `update approvals set use_by_ms = ${(await store().clockMs()) - 1} where approval_id = '${approval.approvalId}'`,
    );
    const late = await store().beginTry(fence, begin(approval));
    expect(late).toMatchObject({ status: 'not_granted', approval: 'approved' });
  });

  it('uses a grant for one call only', async () => {
    const { fence, approval } = await sessionWithGrant(store());
    await database().query(`update approvals set used_by = 't1-r1-c7' where approval_id = '${approval.approvalId}'`);
    expect((await store().beginTry(fence, begin(approval))).status).toBe('not_granted');
  });
});

function notRun(tryNumber: number) {
  return {
    key: `t1.r1.c1.not_run.${tryNumber}`,
    type: 'tool.not_run',
    turn: 1,
    round: 1,
    callId: 't1-r1-c1',
    data: { try: tryNumber, code: 'worker_lost' },
  } as const;
}
