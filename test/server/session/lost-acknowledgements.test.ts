import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { countByType } from '../../support/api-driver';
import { sendRequest } from '../../support/gateway/gateway-under-test';
import { logFaults } from '../../support/log-faults';
import { LostAnswers, type LostOperation } from '../../support/lost-answers';
import { RunningStack } from '../../support/running-stack';

const effects = new Map<string, number>();
const answers = new LostAnswers();

const pay = defineTool({
  name: 'pay',
  description: 'Counts how often it ran, by name.',
  parameters: z.strictObject({ name: z.string() }),
  effect: 'write',
  timeoutMs: 2_000,
  execute: async ({ name }) => {
    effects.set(name, (effects.get(name) ?? 0) + 1);
    return 'paid';
  },
});

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: [pay], wrapStore: (store) => answers.wrap(store) });
});

afterAll(async () => {
  await stack.stop();
});

/** One paid turn and a close. Returns the types of the session's entries in the order of the log. */
async function payAndClose(sessionId: string): Promise<readonly string[]> {
  await stack.startSession(`call pay {"name":"${sessionId}"}`, sessionId);
  const [approval] = await stack.pending(sessionId);
  expect([200, 202]).toContain((await stack.decide(approval as never, 'approve')).status);
  await stack.untilTurnEnded(sessionId, 1);
  await stack.workflow(sessionId).signal('close', {});
  await stack.workflow(sessionId).result();
  return (await stack.entries(sessionId)).map((entry) => entry.type);
}

const OPERATIONS = [
  { operation: 'claimRun' },
  { operation: 'openSession' },
  { operation: 'append', entryType: 'user.message' },
  { operation: 'append', entryType: 'request.header' },
  { operation: 'append', entryType: 'model.reply' },
  { operation: 'settleApproval' },
  { operation: 'beginTry' },
  { operation: 'append', entryType: 'tool.result' },
  { operation: 'endTurn' },
  { operation: 'closeSession' },
] satisfies LostOperation[];

test.each(OPERATIONS)('a commit whose answer was lost is repeated and changes nothing: %j', async (lost) => {
  const name = `lost-${lost.operation}-${'entryType' in lost ? lost.entryType.replace('.', '-') : 'any'}`;
  const expected = await payAndClose(`${name}-before`);
  answers.loseNext(lost);
  const types = await payAndClose(name);
  expect(answers.isArmed).toBe(false);
  expect(types).toEqual(expected);
  expect(effects.get(name)).toBe(1);
  expect(logFaults(stack.storePath, name)).toEqual([]);
});

test('a question that was asked again although its answer was lost is asked once more, not twice', async () => {
  const sessionId = await stack.startSession('write again.txt: one');
  const [first] = await stack.pending(sessionId);
  // Somebody else makes the file, so the difference that was shown is no longer true.
  const other = await stack.startSession('write again.txt: other');
  const [otherApproval] = await stack.pending(other);
  await stack.decide(otherApproval as never, 'approve');
  await stack.untilTurnEnded(other, 1);
  answers.loseNext({ operation: 'supersedeApproval' });
  await stack.decide(first as never, 'approve');
  const [second] = await stack
    .until('/v1/approvals?status=pending', (json) => {
      const mine = (json['approvals'] as { sessionId: string; approvalId: string }[]).filter(
        (approval) => approval.sessionId === sessionId,
      );
      return mine.length === 1 && mine[0]?.approvalId !== first?.approvalId;
    })
    .then(() => stack.pending(sessionId));
  expect(answers.isArmed).toBe(false);
  await stack.decide(second as never, 'approve');
  await stack.untilTurnEnded(sessionId, 1);
  expect(countByType(await stack.entries(sessionId))).toMatchObject({
    'approval.requested': 2,
    'tool.started': 1,
    'tool.result': 1,
  });
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
});

test.each(['createSession', 'putMessage', 'putDecision'] as const)(
  'what was stored but answered as an outage is the same one when it is sent again: %s',
  async (operation) => {
    const sessionId = `lost-${operation}`;
    const sent = { agent: 'workspace', message: { content: `call pay {"name":"${sessionId}"}` }, sessionId };
    const lose = (wanted: string): void => {
      if (wanted === operation) {
        answers.loseNext({ operation });
      }
    };
    /** Sends until it is accepted, as a careful client does; an outage is the only reason to repeat. */
    const insist = async (path: string, body: object): Promise<number> => {
      const port = Number(new URL(stack.gateway.url).port);
      const send = () => sendRequest(port, 'POST', path, { body, headers: { 'idempotency-key': `k-${operation}` } });
      const { status } = await send();
      return status === 503 ? (await send()).status : status;
    };
    lose('createSession');
    expect([200, 201]).toContain(await insist('/v1/sessions', sent));
    const [approval] = await stack.pending(sessionId);
    lose('putMessage');
    expect(await insist(`/v1/sessions/${sessionId}/messages`, { content: 'list' })).toBe(202);
    lose('putDecision');
    const { approvalId, argumentsDigest } = approval as never as { approvalId: string; argumentsDigest: string };
    const decision = { decision: 'approve', argumentsDigest, decisionId: `d-${operation}` };
    expect([200, 202]).toContain(await insist(`/v1/approvals/${approvalId}/decisions`, decision));
    await stack.untilTurnEnded(sessionId, 2);
    expect(answers.isArmed).toBe(false);
    expect(effects.get(sessionId)).toBe(1);
    expect(countByType(await stack.entries(sessionId))).toMatchObject({
      'user.message': 2,
      'approval.decided': 1,
      'turn.ended': 2,
    });
    expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  },
);
