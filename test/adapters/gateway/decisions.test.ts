import { temporaryFolders } from '../../support/dev/temporary-folders';
import { ApprovalDesk, expectRefusal } from '../../support/gateway/approval-desk';
import { expectProblem } from '../../support/gateway/expect-problem';
import { openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { StandInWorker } from '../../support/gateway/stand-in-worker';

const newFolder = temporaryFolders();
let desk: ApprovalDesk;

beforeEach(async () => {
  desk = await ApprovalDesk.open(newFolder());
});

afterEach(() => desk.gateway.close());

describe('POST /v1/approvals/:id/decisions', () => {
  it('stores the decision, wakes the session by reference and answers with what became of it', async () => {
    const approval = await desk.askWithWorker();
    const answer = await desk.approve(approval, { comment: 'fine' });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ outcome: 'taken', approval: { status: 'approved', sessionId: 'mine' } });
    const decisionId = answer.json?.['decisionId'];
    expect(decisionId).toMatch(/^d_[0-9a-f]{32}$/);
    expect(desk.gateway.sessions.signals.at(-1)).toEqual({
      signal: 'decide',
      target: { tenant: 'default', sessionId: 'mine', agent: 'workspace' },
      payload: { approvalId: approval.approvalId, decisionId, decision: 'approve', ref: decisionId },
    });
    expect(await desk.gateway.store.listUndelivered(0, 10)).toEqual([]);
  });

  it('takes a rejection without a digest', async () => {
    const answer = await desk.decide(await desk.askWithWorker(), { decision: 'reject', comment: 'wrong file' });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ outcome: 'taken', approval: { status: 'rejected' } });
  });

  it.each([
    ['applied', { argumentsDigest: 'digest-mine' }, 'approved'],
    ['run_again', { argumentsDigest: 'digest-mine' }, 'approved'],
    ['abandon', {}, 'rejected'],
  ])('takes %s for a question about an outcome', async (decision, more, status) => {
    const answer = await desk.decide(await desk.askWithWorker({ kind: 'outcome' }), { decision, ...more });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ outcome: 'taken', approval: { status } });
  });

  it('answers a second decision with 409 and the one that stands', async () => {
    const approval = await desk.askWithWorker();
    await desk.approve(approval);
    const again = await desk.approve(approval);
    expectRefusal(again, 409, 'already_decided', 'approved');
    expectRefusal(await desk.decide(approval, { decision: 'reject' }), 409, 'already_decided', 'approved');
    expect(again.json).toMatchObject({ approval: { decisions: [{ outcome: 'taken', decision: 'approve' }] } });
  });

  it('answers two decisions at the same time with one that is taken', async () => {
    const approval = await desk.askWithWorker();
    const answers = await Promise.all([
      desk.approve(approval),
      desk.decide(approval, { decision: 'reject' }),
      desk.approve(approval),
      desk.decide(approval, { decision: 'reject' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(new Set(answers.map(({ json }) => json?.['outcome']))).toEqual(new Set(['taken', 'already_decided']));
  });

  it('answers a decision for other arguments with 409 and leaves the question open', async () => {
    const approval = await desk.askWithWorker();
    expectRefusal(await desk.approve(approval, { argumentsDigest: 'other' }), 409, 'digest_mismatch', 'pending');
    expect((await desk.approve(approval)).status).toBe(200);
  });

  it.each([
    ['call', { decision: 'yes' }],
    ['call', { decision: 'APPROVE', argumentsDigest: 'digest-mine' }],
    ['call', { decision: 'applied', argumentsDigest: 'digest-mine' }],
    ['call', { decision: 'expire' }],
    ['call', { decision: 'approve' }],
    ['outcome', { decision: 'approve', argumentsDigest: 'digest-mine' }],
    ['outcome', { decision: 'run_again' }],
  ] as const)('answers for kind %s what is no decision, %j, with 422', async (kind, body) => {
    const approval = await desk.askWithWorker({ kind });
    const answer = await desk.decide(approval, body);
    expectRefusal(answer, 422, 'invalid', 'pending');
    expect(answer.json?.['detail']).toMatch(/^(decision|argumentsDigest): /);
    expect(desk.gateway.sessions.signals.filter(({ signal }) => signal === 'decide')).toEqual([]);
  });

  it('answers an approval nobody asked for with 404', async () => {
    const answer = await desk.gateway.post('/v1/approvals/ap_nothing/decisions', { decision: 'reject' });
    expectProblem(answer, 404, 'unknown_approval');
  });

  it('answers a decision about an expired question with 410', async () => {
    const approval = await desk.askWithWorker({ expiresAt: '2020-01-01T00:00:00.000Z' });
    // Nobody has settled the expiry yet.
    expectRefusal(await desk.approve(approval), 410, 'expired', 'pending');
    await desk.worker.settle(approval.approvalId, { expiredAt: '2020-01-01T00:00:00.000Z' });
    expectRefusal(await desk.approve(approval), 410, 'expired', 'expired');
    expectRefusal(await desk.decide(approval, { decision: 'reject' }), 410, 'expired', 'expired');
  });

  it('answers a decision about a cancelled question with 410', async () => {
    const approval = await desk.askWithWorker();
    await desk.worker.settle(approval.approvalId, { withdraw: true });
    expectRefusal(await desk.approve(approval), 410, 'cancelled', 'cancelled');
  });

  it('counts a decision from when it came in, however late its worker is', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const approval = await desk.worker.ask({ expiresAt });
    desk.gateway.nowMs = Date.parse(expiresAt) - 1;
    const inTime = await desk.approve(approval, { decisionId: 'd-in-time' });
    expect(inTime.status).toBe(202);
    expect(inTime.json).toMatchObject({ outcome: null, decisionId: 'd-in-time', approval: { status: 'pending' } });
    desk.gateway.nowMs = Date.parse(expiresAt);
    // The same again is the one that came in time; a new one is too late, and that is certain at once.
    expect((await desk.approve(approval, { decisionId: 'd-in-time' })).status).toBe(202);
    expectRefusal(await desk.approve(approval, { decisionId: 'd-late' }), 410, 'expired', 'pending');
    await desk.worker.settle(approval.approvalId, { expiredAt: expiresAt });
    expect((await desk.approve(approval, { decisionId: 'd-in-time' })).json).toMatchObject({ outcome: 'taken' });
    expectRefusal(await desk.approve(approval, { decisionId: 'd-late' }), 409, 'already_decided', 'approved');
  });

  it('answers the same decision id with the stored outcome, and other content under it with 409', async () => {
    const approval = await desk.askWithWorker();
    const first = await desk.approve(approval, { decisionId: 'mine', comment: 'fine' });
    expect(first.status).toBe(200);
    const again = await desk.approve(approval, { decisionId: 'mine', comment: 'fine' });
    expect([again.status, again.json?.['outcome']]).toEqual([200, 'taken']);
    expectProblem(await desk.approve(approval, { decisionId: 'mine', comment: 'other' }), 409, 'idempotency_conflict');
    const rejected = await desk.decide(approval, { decision: 'reject', decisionId: 'mine' });
    expectProblem(rejected, 409, 'idempotency_conflict');
    const { decisions } = (await desk.gateway.get(`/v1/approvals/${approval.approvalId}`)).json as {
      decisions: unknown[];
    };
    expect(decisions).toHaveLength(1);
  });

  it('takes the same Idempotency-Key as the same decision', async () => {
    const approval = await desk.askWithWorker();
    const key = { 'idempotency-key': 'k1' };
    const body = { decision: 'approve', argumentsDigest: approval.argumentsDigest };
    const answers = [await desk.decide(approval, body, key), await desk.decide(approval, body, key)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ json }) => json?.['decisionId'])).size).toBe(1);
    expectProblem(await desk.decide(approval, { decision: 'reject' }, key), 409, 'idempotency_conflict');
  });

  it('answers 202 with the decision id while no worker settles it, and the outcome once one does', async () => {
    const approval = await desk.worker.ask();
    const waiting = await desk.approve(approval, { decisionId: 'mine' });
    expect(waiting.status).toBe(202);
    expect(waiting.json).toMatchObject({ outcome: null, decisionId: 'mine', approval: { status: 'pending' } });
    await desk.worker.settle(approval.approvalId);
    expect((await desk.approve(approval, { decisionId: 'mine' })).json).toMatchObject({ outcome: 'taken' });
  });

  it('is answered as soon as a worker settles it', async () => {
    const approval = await desk.worker.ask();
    let settled: Promise<unknown> = Promise.resolve();
    desk.gateway.sessions.react = async () => {
      // The signal is accepted first; the session acts on it later.
      settled = new Promise((resolve) => setTimeout(resolve, 50)).then(() => desk.worker.settle(approval.approvalId));
    };
    expect((await desk.approve(approval)).json).toMatchObject({ outcome: 'taken' });
    await settled;
  });

  it('answers 202 at once when the gateway closes meanwhile, and keeps the decision', async () => {
    const folder = newFolder();
    const patient = await openGatewayUnderTest({ folder, outcomeTimeoutMs: 60_000 });
    const body = { agent: 'workspace', message: { content: 'write' }, sessionId: 'patient' };
    await patient.post('/v1/sessions', body);
    const { approvalId } = await new StandInWorker(patient.store, 'patient').ask();
    const signalled = new Promise<void>((resolve) => {
      patient.sessions.react = async () => resolve();
    });
    const answer = patient.post(`/v1/approvals/${approvalId}/decisions`, { decision: 'reject', decisionId: 'd1' });
    await signalled;
    await patient.close();
    expect(await answer).toMatchObject({ status: 202, headers: { connection: 'close' }, json: { decisionId: 'd1' } });
    const next = await openGatewayUnderTest({ folder });
    const settled = await new StandInWorker(next.store, 'patient').settle(approvalId);
    expect(settled).toMatchObject({ outcome: 'taken', approval: 'rejected' });
    await next.close();
  });

  it('stores a decision while Temporal is down and answers 202 without waiting', async () => {
    const approval = await desk.worker.ask();
    desk.gateway.sessions.isUp = false;
    const answer = await desk.approve(approval);
    expect(answer.status).toBe(202);
    expect(await desk.gateway.store.listUndelivered(0, 10)).toMatchObject([
      { kind: 'decision', id: answer.json?.['decisionId'], approvalId: approval.approvalId },
    ]);
    // What can only be refused is refused all the same.
    expectRefusal(await desk.approve(approval, { argumentsDigest: 'other' }), 409, 'digest_mismatch', 'pending');
  });

  it('keeps a comment of any characters', async () => {
    const comment = 'no \u0000 way\n\u202e "\\ \u{1f600}';
    await desk.decide(await desk.askWithWorker(), { decision: 'reject', comment });
    const { approvals } = (await desk.gateway.get('/v1/approvals')).json as { approvals: { approvalId: string }[] };
    const answer = await desk.gateway.get(`/v1/approvals/${approvals[0]?.approvalId}`);
    expect(answer.json).toMatchObject({ decisions: [{ comment }] });
  });

  it('refuses the decision ids holdpoint keeps for itself', async () => {
    const approval = await desk.askWithWorker();
    for (const decisionId of ['system-expire', 'system-withdraw']) {
      const answer = await desk.decide(approval, { decision: 'reject', decisionId });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    expect((await desk.approve(approval)).status).toBe(200);
  });

  it('does not take an expiry for a decision of anybody decision', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const approval = await desk.worker.ask({ expiresAt });
    await desk.worker.settle(approval.approvalId, { expiredAt: expiresAt });
    const answer = await desk.decide(approval, { decision: 'reject', decisionId: 'system-expire' });
    expectProblem(answer, 409, 'idempotency_conflict');
  });
});
