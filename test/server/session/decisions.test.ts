import type { SessionStore } from '../../../src/core/ports/session-store';
import { approvalIdOf } from '../../../src/digests/derived-ids';
import { countByType, type Pending } from '../../support/api-driver';
import { Gate, gatedTools } from '../../support/gated-tools';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';

const gate = new Gate();
/** Sessions whose first reply is stored while the workflow does not hear of it before the gate of that name opens. */
const lateReplies = new Gate();
const LATE = 'late-';

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate), wrapStore: withLateReplies });
});

afterAll(async () => {
  await stack.stop();
});

function withLateReplies(store: SessionStore): SessionStore {
  const never = new AbortController().signal;
  return {
    ...store,
    append: async (fence, batch) => {
      const appended = await store.append(fence, batch);
      if (fence.sessionId.startsWith(LATE) && batch.entries[0]?.type === 'model.reply') {
        await lateReplies.pass(fence.sessionId, never);
      }
      return appended;
    },
  };
}

function signalDecision(approval: Pick<Pending, 'approvalId'>, sessionId: string, more: object): Promise<void> {
  return stack.workflow(sessionId).signal('decide', { approvalId: approval.approvalId, ...more });
}

/** A session with one open question about a payment of that name. */
async function sessionWithQuestion(name: string): Promise<{ readonly sessionId: string; readonly approval: Pending }> {
  gate.open(name);
  const sessionId = await stack.startSession(`call pay_blind {"name":"${name}"}`);
  const [approval] = await stack.pending(sessionId);
  return { sessionId, approval: approval as Pending };
}

async function refusedOutcomes(sessionId: string): Promise<readonly unknown[]> {
  const refused = (await stack.entries(sessionId)).filter((entry) => entry.type === 'approval.refused');
  return refused.map((entry) => (entry.data as { outcome: string }).outcome);
}

/** The turn is over, the payment of that name was made once, and one decision stands. */
async function expectPaidOnce(sessionId: string, name: string): Promise<void> {
  await stack.untilTurnEnded(sessionId, 1);
  expect(gate.counts()[name]).toBe(1);
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'approval.decided': 1, 'tool.started': 1 });
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
}

test.concurrent.each(['approve', 'reject'])(
  'a decision about a question that was not asked yet (%s) is nothing, and the question stays open',
  async (decision) => {
    const name = `early ${decision}`;
    gate.open(name);
    const sessionId = await stack.startSession(`slow 2 then call pay_blind {"name":"${name}"}`);
    const parts = { tenant: 'default', sessionId, callId: 't1-r1-c1', kind: 'call', ask: 1 } as const;
    const approvalId = approvalIdOf(parts);
    const entries = await stack.entries(sessionId);
    await signalDecision({ approvalId }, sessionId, { decision, argumentsDigest: 'A'.repeat(43), principal: 'early' });
    expect(countByType(entries)['approval.requested']).toBeUndefined();
    const [approval] = await stack.pending(sessionId);
    expect(approval?.approvalId).toBe(approvalId);
    expect((await stack.decide(approval as Pending, 'approve')).json?.['outcome']).toBe('taken');
    await expectPaidOnce(sessionId, name);
  },
);

test.concurrent.each(['by HTTP', 'by a plain signal'])(
  'a decision %s that comes before the workflow has heard of the question counts',
  async (way) => {
    const name = `late reply ${way}`;
    gate.open(name);
    const id = `${LATE}${way.replaceAll(' ', '-')}`;
    const sessionId = await stack.startSession(`call pay_blind {"name":"${name}"}`, id);
    await lateReplies.reached(id);
    const [approval] = await stack.pending(sessionId);
    const { argumentsDigest } = approval as Pending;
    if (way === 'by HTTP') {
      expect((await stack.decide(approval as Pending, 'approve')).json?.['outcome']).toBe('taken');
    } else {
      await signalDecision(approval as Pending, sessionId, { decision: 'approve', argumentsDigest });
      await waitUntil(
        () => stack.entries(sessionId),
        (entries) => entries.some((entry) => entry.type === 'approval.decided'),
      );
    }
    expect(gate.counts()[name]).toBeUndefined();
    lateReplies.open(id);
    await expectPaidOnce(sessionId, name);
  },
);

test.concurrent('the same decision sent many times is one, by HTTP and by plain signals', async () => {
  const { sessionId, approval } = await sessionWithQuestion('twice');
  const { argumentsDigest } = approval;
  const http = Array.from({ length: 5 }, () => stack.decide(approval, 'approve', { decisionId: 'same' }));
  const signals = Array.from({ length: 5 }, () =>
    signalDecision(approval, sessionId, { decision: 'approve', argumentsDigest }),
  );
  const answers = await Promise.all(http);
  await Promise.all(signals);
  const outcomes = new Set(answers.map((answer) => answer.json?.['outcome'] ?? answer.json?.['code']));
  expect([...outcomes].every((outcome) => outcome === 'taken' || outcome === 'already_decided')).toBe(true);
  expect(outcomes.size).toBe(1);
  await expectPaidOnce(sessionId, 'twice');
});

test.concurrent('of twenty people who decide at once, one is taken and all the others are told', async () => {
  const { sessionId, approval } = await sessionWithQuestion('crowd');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      stack.decide(approval, index % 2 === 0 ? 'approve' : 'reject', { decisionId: `crowd-${index}` }),
    ),
  );
  const taken = answers.filter((answer) => answer.json?.['outcome'] === 'taken');
  expect(taken).toHaveLength(1);
  expect(answers.filter((answer) => answer.json?.['code'] === 'already_decided')).toHaveLength(19);
  await stack.untilTurnEnded(sessionId, 1);
  const decided = (await stack.entries(sessionId)).filter((entry) => entry.type === 'approval.decided');
  expect(decided).toHaveLength(1);
  const isApproved = (decided[0]?.data as { decision: string } | undefined)?.decision === 'approve';
  expect(gate.counts()['crowd']).toBe(isApproved ? 1 : undefined);
});

test.concurrent('forged and malformed decisions come to nothing, and the genuine one behind them is taken', async () => {
  const { sessionId, approval } = await sessionWithQuestion('forged');
  const { approvalId, argumentsDigest } = approval;
  const forged = [
    { decision: 'approve' },
    { decision: 'approve', argumentsDigest: 'B'.repeat(43) },
    { decision: 'approve', argumentsDigest: argumentsDigest.toLowerCase() },
    { decision: 'applied', argumentsDigest },
    { decision: 'APPROVE', argumentsDigest },
    { decision: '', argumentsDigest },
    { decision: 'approve', argumentsDigest: 'C'.repeat(43), decisionId: 'genuine' },
    { decision: 'approve', argumentsDigest: 'D'.repeat(43), decisionId: 'system-expire' },
  ];
  const malformed = [
    { approvalId, decision: 'approve', argumentsDigest: [argumentsDigest] },
    { approvalId, decision: ['approve'], argumentsDigest },
    { approvalId: [approvalId], decision: 'approve', argumentsDigest },
    { approvalId: `${approvalId}/..`, decision: 'approve', argumentsDigest },
    { approvalId, decision: 'approve', argumentsDigest, principal: { name: 'local' } },
    { approvalId, decision: 'approve', argumentsDigest, decisionId: '../x' },
    { approvalId, ref: 'nowhere', decision: 'approve', argumentsDigest },
    { approvalId: 'ap_unknown', decision: 'approve', argumentsDigest },
    ['approve'],
    null,
  ];
  for (const payload of malformed) {
    await stack.workflow(sessionId).signal('decide', payload);
  }
  for (const payload of forged) {
    await signalDecision(approval, sessionId, payload);
  }
  const outcomes = await waitUntil(
    () => refusedOutcomes(sessionId),
    (found) => found.length === forged.length,
  );
  expect(new Set(outcomes)).toEqual(new Set(['digest_mismatch', 'invalid']));
  expect(gate.counts()['forged']).toBeUndefined();
  await signalDecision(approval, sessionId, { decision: 'approve', argumentsDigest, decisionId: 'genuine' });
  await expectPaidOnce(sessionId, 'forged');
});

test.concurrent('a decision id that comes again with other content is a conflict by HTTP, and moves nothing', async () => {
  const { sessionId, approval } = await sessionWithQuestion('id');
  const mismatch = { argumentsDigest: 'E'.repeat(43), decisionId: 'one-id' };
  expect((await stack.decide(approval, 'approve', mismatch)).json?.['code']).toBe('digest_mismatch');
  const other = await stack.decide(approval, 'approve', { decisionId: 'one-id' });
  expect([other.status, other.json?.['code']]).toEqual([409, 'idempotency_conflict']);
  const squatted = { decision: 'approve', argumentsDigest: 'F'.repeat(43), decisionId: 'squatted' };
  await signalDecision(approval, sessionId, squatted);
  await waitUntil(
    () => refusedOutcomes(sessionId),
    (found) => found.length === 2,
  );
  const refused = await stack.decide(approval, 'approve', { decisionId: 'squatted' });
  expect([refused.status, refused.json?.['code']]).toEqual([409, 'idempotency_conflict']);
  expect(gate.counts()['id']).toBeUndefined();
  expect((await stack.decide(approval, 'approve')).json?.['outcome']).toBe('taken');
  await expectPaidOnce(sessionId, 'id');
});

test.concurrent('a decision after the cancel of its turn is told so and runs nothing, whichever way it comes', async () => {
  const { sessionId, approval } = await sessionWithQuestion('cancelled');
  const { argumentsDigest } = approval;
  await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
  await stack.untilTurnEnded(sessionId, 1);
  expect((await stack.decide(approval, 'approve')).json?.['code']).toBe('cancelled');
  await signalDecision(approval, sessionId, { decision: 'approve', argumentsDigest, principal: 'late' });
  const outcomes = await waitUntil(
    () => refusedOutcomes(sessionId),
    (found) => found.length > 0,
  );
  expect(outcomes).toEqual(['cancelled']);
  await stack.send(sessionId, 'list');
  expect((await stack.untilTurnEnded(sessionId, 2))['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
  expect(gate.counts()['cancelled']).toBeUndefined();
});

test.concurrent('a decision before a reset is taken once, whatever the reset delivers again', async () => {
  const { sessionId, approval } = await sessionWithQuestion('reset');
  const { argumentsDigest } = approval;
  await signalDecision(approval, sessionId, {
    decision: 'approve',
    argumentsDigest: 'G'.repeat(43),
    principal: 'forger',
  });
  await signalDecision(approval, sessionId, { decision: 'approve', argumentsDigest, principal: 'ann' });
  await expectPaidOnce(sessionId, 'reset');
  const before = await stack.entries(sessionId);
  await stack.temporalTool(
    ...['workflow', 'reset', '--workflow-id', `default/${sessionId}`],
    ...['--type', 'FirstWorkflowTask', '--reason', 'test'],
  );
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  const after = await stack.entries(sessionId);
  expect(after.slice(before.length).some((entry) => entry.type.startsWith('approval.'))).toBe(false);
  expect(gate.counts()['reset']).toBe(1);
});
