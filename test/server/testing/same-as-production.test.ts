import { workspaceTools } from '../../../src/adapters/tools/workspace/workspace-tools';
import type { Entry } from '../../../src/core/entries';
import type { Limits } from '../../../src/core/limits';
import { defineAgent } from '../../../src/definitions/define-agent';
import { cutStream, failure, reply, runAgent, scriptedModel } from '../../../src/testing';
import { RunningStack } from '../../support/running-stack';
import { refundAgent } from '../../support/testing/refund-agent';

const MODEL = 'mock:workspace';

const { tools } = refundAgent((orderId) => {
  if (orderId === 'broken') {
    throw new Error('no connection');
  }
});

/** Members that are random or take their value from a clock; ids are replaced by names that keep who is who. */
const RANDOM = ['activeMs', 'argumentsDigest', 'attemptToken', 'idempotencyKey', 'leaseUntil', 'expiresAt'];
const IDS = ['approvalId', 'decisionId', 'messageId'];
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** The log without what differs from run to run. */
function comparable(entries: readonly Entry[]): unknown {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id-${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  const withoutRandom = (value: unknown, member = ''): unknown => {
    if (RANDOM.includes(member)) {
      return `(${member})`;
    }
    if (typeof value === 'string') {
      return IDS.includes(member) ? nameOf(value) : value.replace(TIME, '(time)');
    }
    if (Array.isArray(value)) {
      return value.map((item) => withoutRandom(item));
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutRandom(inner, name)]))
      : value;
  };
  return entries.map(({ seq, batch, key, type, turn, round, callId, data }) => {
    const [kind, ...ids] = key.split('/');
    return { seq, batch, key: [kind, ...ids.map(nameOf)], type, turn, round, callId, data: withoutRandom(data) };
  });
}

/** The agent that a stack runs, for `runAgent`. */
function agentOf(stack: RunningStack, limits: Partial<Limits> = {}) {
  return defineAgent({
    name: 'workspace',
    model: MODEL,
    system: 'You help with tests.',
    tools: [...workspaceTools({ root: stack.workspaceFolder }), ...tools],
    limits: { roundsPerTurn: 40, activeMsPerTurn: 600_000, ...limits },
  });
}

test('the same agent, messages and answers write the same log on a real stack and through runAgent', async () => {
  const refund = (orderId: unknown) => ({ tool: 'refund_order', args: { orderId } });
  const script = [
    failure('model_overloaded'),
    cutStream({ text: 'Let me' }),
    reply({
      text: 'Let me see.',
      reasoning: 'Two of them.',
      calls: [
        { tool: 'find_order', args: { orderId: 'A1' } },
        refund('A1'),
        refund('A2'),
        { tool: 'no_such_tool' },
        refund(7),
      ],
    }),
    // Refused in this turn before, so nobody is asked again.
    reply({ calls: [refund('A2'), refund('broken')] }),
    reply({ text: 'A1 is refunded.' }),
    failure('model_auth'),
  ];
  const stack = await RunningStack.start({ tools, model: scriptedModel(script, { api: 'mock' }) });
  try {
    const sessionId = await stack.startSession('Refund A1 and A2.');
    const untilLogged = (text: string) =>
      stack.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) => JSON.stringify(json).includes(text));
    const [first, second] = await stack.pending(sessionId, 2);
    await untilLogged('"key":"t1.r1.c1.result"');
    if (first === undefined || second === undefined) {
      throw new Error('The questions are missing.');
    }
    await stack.decide(first, 'approve');
    await untilLogged('refunded A1');
    await stack.decide(second, 'reject', { comment: 'Not A2.' });
    const [third] = await stack.pending(sessionId, 1);
    if (third === undefined) {
      throw new Error('The question is missing.');
    }
    await stack.decide(third, 'approve');
    await stack.untilTurnEnded(sessionId, 1);
    await stack.send(sessionId, 'Thanks.');
    await stack.untilTurnEnded(sessionId, 2);

    const run = await runAgent({
      agent: agentOf(stack),
      messages: ['Refund A1 and A2.', 'Thanks.'],
      script,
      decisions: ({ summary }) => (summary === 'Refund A2' ? { decision: 'reject', comment: 'Not A2.' } : 'approve'),
    });
    expect(run.turns.map(({ outcome }) => outcome)).toEqual(['completed', 'failed']);
    expect(comparable(run.entries)).toEqual(comparable(await stack.entries(sessionId)));
  } finally {
    await stack.stop();
  }
});

test('so does a question that expires, which is waited for there and jumped over here', async () => {
  const limits = { approvalExpiryMs: 500 };
  const script = [reply({ calls: [{ tool: 'refund_order', args: { orderId: 'A1' } }] }), reply({ text: 'Too late.' })];
  const stack = await RunningStack.start({ tools, limits, model: scriptedModel(script, { api: 'mock' }) });
  try {
    const sessionId = await stack.startSession('Refund A1.');
    await stack.untilTurnEnded(sessionId, 1);
    const run = await runAgent({
      agent: agentOf(stack, limits),
      message: 'Refund A1.',
      script,
      decisions: { refund_order: 'expire' },
    });
    expect(run.calls).toMatchObject([{ status: 'expired' }]);
    expect(comparable(run.entries)).toEqual(comparable(await stack.entries(sessionId)));
  } finally {
    await stack.stop();
  }
});
