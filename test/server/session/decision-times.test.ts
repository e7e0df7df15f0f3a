import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from '../../../src/core/ids';
import type { AgentSessionStatus } from '../../../src/workflows/agent-session-api';
import type { Pending } from '../../support/api-driver';
import { Gate, gatedTools } from '../../support/gated-tools';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';

/** Long enough to ask all questions below and to stop the worker before the first one expires. */
const EXPIRY_MS = 10_000;

const gate = new Gate();
let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate), limits: { approvalExpiryMs: EXPIRY_MS } });
});

afterAll(async () => {
  await stack.stop();
});

interface OpenQuestion {
  readonly sessionId: string;
  readonly approval: Pending;
}

/** The workflow has heard of the question when this resolves, so that it knows of the expiry too. */
async function sessionWithQuestion(name: string): Promise<OpenQuestion> {
  gate.open(name);
  const sessionId = await stack.startSession(`call pay_blind {"name":"${name}"}`);
  const [approval] = await stack.pending(sessionId);
  await waitUntil(
    () => stack.workflow(sessionId).query<AgentSessionStatus>('status'),
    (status) => status.openApprovals.length === 1,
  );
  return { sessionId, approval: approval as Pending };
}

/** An approval as a gateway stores it that took it in so long after the expiry; resolves to the signal that tells of it. */
async function storeDecision({ approval }: OpenQuestion, afterExpiryMs: number): Promise<object> {
  const { approvalId, argumentsDigest, expiresAt } = approval;
  const decisionId = `stored-${approvalId}`;
  const stored = await stack.store.putDecision({
    tenant: 'default' as Tenant,
    approvalId,
    decisionId,
    decision: 'approve',
    argumentsDigest,
    principal: 'ann',
    provenance: 'authenticated',
    decidedAt: new Date(Date.parse(expiresAt) + afterExpiryMs).toISOString(),
  });
  expect(stored.status).toBe('created');
  return { approvalId, decisionId, decision: 'stored', ref: decisionId };
}

/** An approval in a plain signal that says of itself when it was decided. */
function signalledDecision({ approval }: OpenQuestion, afterExpiryMs: number): object {
  const { approvalId, argumentsDigest, expiresAt } = approval;
  const decidedAt = new Date(Date.parse(expiresAt) + afterExpiryMs).toISOString();
  return { approvalId, argumentsDigest, decision: 'approve', decidedAt, principal: 'ann' };
}

/** What the call came to, and how often its effect happened. */
async function endOf(name: string, { sessionId }: OpenQuestion): Promise<string> {
  await stack.untilTurnEnded(sessionId, 1);
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  const result = (await stack.entries(sessionId)).find((entry) => entry.type === 'tool.result');
  return `${(result?.data as { status: string } | undefined)?.status}, ${gate.counts()[name] ?? 0} effects`;
}

test('with no worker up across the expiry, a stored decision counts by the time it was stored, a signalled one by none it claims', async () => {
  const names = ['long before', 'just before', 'at the expiry', 'after', 'backdated signal', 'nobody'] as const;
  const [before, justBefore, atExpiry, after, backdated, nobody] = await Promise.all(names.map(sessionWithQuestion));
  const questions = [before, justBefore, atExpiry, after, backdated, nobody] as readonly OpenQuestion[];
  await stack.stopWorker();
  expect(questions.every(({ approval }) => Date.now() < Date.parse(approval.expiresAt))).toBe(true);
  const signals = [
    await storeDecision(before as OpenQuestion, -EXPIRY_MS / 2),
    await storeDecision(justBefore as OpenQuestion, -1),
    await storeDecision(atExpiry as OpenQuestion, 0),
    await storeDecision(after as OpenQuestion, 1),
    signalledDecision(backdated as OpenQuestion, -EXPIRY_MS / 2),
  ];
  // Nothing happens at an expiry while nobody works, so there is nothing but the time to wait for.
  await sleep(Math.max(...questions.map(({ approval }) => Date.parse(approval.expiresAt))) - Date.now() + 100);
  for (const [index, signal] of signals.entries()) {
    await stack.workflow((questions[index] as OpenQuestion).sessionId).signal('decide', signal);
  }
  await stack.startWorker();

  const ends = await Promise.all(questions.map((question, index) => endOf(names[index] ?? '', question)));
  expect(Object.fromEntries(ends.map((end, index) => [names[index], end]))).toEqual({
    'long before': 'success, 1 effects',
    'just before': 'success, 1 effects',
    'at the expiry': 'expired, 0 effects',
    after: 'expired, 0 effects',
    'backdated signal': 'expired, 0 effects',
    nobody: 'expired, 0 effects',
  });
  const refused = (await stack.entries((backdated as OpenQuestion).sessionId)).filter(
    (entry) => entry.type === 'approval.refused',
  );
  expect(refused.map((entry) => entry.data)).toMatchObject([{ outcome: 'expired', provenance: 'request' }]);
});

test('a signal in time is not made late by a time it claims', async () => {
  const question = await sessionWithQuestion('postdated');
  await stack.workflow(question.sessionId).signal('decide', signalledDecision(question, EXPIRY_MS));
  expect(await endOf('postdated', question)).toBe('success, 1 effects');
});

test('a question that expired takes no decision any more, whatever time that claims', async () => {
  const question = await sessionWithQuestion('expired');
  expect(await endOf('expired', question)).toBe('expired, 0 effects');
  const wakeUp = await storeDecision(question, -EXPIRY_MS / 2);
  await stack.workflow(question.sessionId).signal('decide', wakeUp);
  await stack.send(question.sessionId, 'list');
  await stack.untilTurnEnded(question.sessionId, 2);
  expect(gate.counts()['expired']).toBeUndefined();
  const { approvalId } = question.approval;
  expect((await stack.get(`/v1/approvals/${approvalId}`)).json).toMatchObject({ status: 'expired' });
});
