import { createMockModel } from '../../../src/adapters/models/mock/mock-model';
import { defineAgent } from '../../../src/definitions/define-agent';
import { type AgentRun, cutStream, failure, reply, runAgent } from '../../../src/testing';
import { refundAgent } from '../../support/testing/refund-agent';

const refund = (orderId: string) => reply({ calls: [{ tool: 'refund_order', args: { orderId } }] });
const done = reply({ text: 'Done.' });

/** Text of the last message of a request. */
function lastText(run: AgentRun, request: number): string {
  const blocks = run.requests[request - 1]?.messages.at(-1)?.blocks ?? [];
  return blocks.map((block) => ('text' in block ? block.text : block.type)).join('\n');
}

test('a read runs at once, an approved write runs once, and the run shows all of it', async () => {
  const { agent, refunds } = refundAgent();
  const run = await runAgent({
    agent,
    message: 'Refund order A1.',
    script: [
      reply({ reasoning: 'Look first.', calls: [{ tool: 'find_order', args: { orderId: 'A1' } }] }),
      refund('A1'),
      done,
    ],
    decisions: { refund_order: 'approve' },
    principal: 'ann',
  });
  expect(refunds).toEqual([{ orderId: 'A1', principal: 'ann' }]);
  expect(run).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    turns: [{ turn: 1, outcome: 'completed', code: undefined, text: 'Done.', rounds: 3 }],
    approvals: [
      {
        tool: 'refund_order',
        status: 'approved',
        arguments: { orderId: 'A1' },
        preview: 'refund of\nA1',
        requestedAt: '2026-01-01T00:00:00.000Z',
        useBy: '2026-01-02T00:00:00.000Z',
        decisions: [{ decision: 'approve', outcome: 'taken', principal: 'ann', provenance: 'authenticated' }],
      },
    ],
    calls: [
      { tool: 'find_order', verdict: 'run', asked: 0, ran: 1, status: 'success' },
      { tool: 'refund_order', verdict: 'review', asked: 1, ran: 1, status: 'success', text: 'refunded A1' },
    ],
  });
  expect(run.entries.map(({ key }) => key.replace(/^a\/.*/, 'decision'))).toEqual([
    ...['s.1.started', 'm/m1', 't1.turn', 't1.r1.header', 't1.r1.reply', 't1.r1.c1.policy', 't1.r1.c1.result'],
    ...['t1.r2.reply', 't1.r2.c1.policy', 't1.r2.c1.ask.1', 'decision', 't1.r2.c1.started.1', 't1.r2.c1.result'],
    ...['t1.r3.reply', 't1.end'],
  ]);
  expect(run.requests).toHaveLength(3);
  expect(run.requests[0]).toMatchObject({ model: 'test', system: 'You refund orders.' });
  expect(lastText(run, 3)).toBe('refunded A1');
});

test('a rejected write does not run, and the model reads the comment', async () => {
  const { agent, refunds } = refundAgent();
  const run = await runAgent({
    agent,
    message: 'Refund order A1.',
    script: [refund('A1'), reply({ text: 'It was refused.' })],
    decisions: { refund_order: { decision: 'reject', comment: 'Not this customer.', principal: 'bob' } },
  });
  expect(refunds).toEqual([]);
  expect(run.approvals).toMatchObject([{ status: 'rejected', decisions: [{ principal: 'bob' }] }]);
  expect(run.calls).toMatchObject([{ asked: 1, ran: 0, status: 'rejected' }]);
  expect(lastText(run, 2)).toContain('Not this customer.');
});

test('a question that nobody answers expires at its time, which nobody waits for', async () => {
  const { agent, refunds } = refundAgent();
  const run = await runAgent({
    agent,
    message: 'Refund order A1.',
    script: [refund('A1'), done],
    decisions: { refund_order: 'expire' },
    startAt: '2030-06-01T12:00:00Z',
    limits: { approvalExpiryMs: 3_600_000 },
  });
  expect(refunds).toEqual([]);
  expect(run.approvals).toMatchObject([{ status: 'expired', expiresAt: '2030-06-01T13:00:00.000Z' }]);
  expect(run.calls).toMatchObject([{ ran: 0, status: 'expired' }]);
  expect(run.entries.at(-1)).toMatchObject({ type: 'turn.ended', at: '2030-06-01T13:00:00.000Z' });
});

test('questions are answered one after another, by a function that sees each of them', async () => {
  const { agent, refunds } = refundAgent();
  const asked: unknown[] = [];
  const calls = ['A1', 'A2', 'A3'].map((orderId) => ({ tool: 'refund_order', args: { orderId } }));
  const run = await runAgent({
    agent,
    message: 'Refund all.',
    script: [reply({ calls }), done],
    decisions: ({ arguments: args, summary }) => {
      asked.push(args);
      return summary === 'Refund A1' ? 'expire' : summary === 'Refund A2' ? 'approve' : 'reject';
    },
  });
  expect(asked).toEqual([{ orderId: 'A1' }, { orderId: 'A2' }, { orderId: 'A3' }]);
  expect(refunds.map(({ orderId }) => orderId)).toEqual(['A2']);
  expect(run.calls.map(({ status }) => status)).toEqual(['expired', 'success', 'rejected']);
  const afterReply = run.entries.filter(({ type }) => /^(approval\.decided|tool\.)/.test(type));
  expect(afterReply.map(({ type, callId }) => [type, callId])).toEqual([
    ['approval.decided', 't1-r1-c2'],
    ['tool.started', 't1-r1-c2'],
    ['tool.result', 't1-r1-c2'],
    ['approval.decided', 't1-r1-c3'],
    ['tool.result', 't1-r1-c3'],
    ['approval.decided', 't1-r1-c1'],
    ['tool.result', 't1-r1-c1'],
  ]);
});

test('a write that throws is answered as an error without its text', async () => {
  const { agent } = refundAgent(() => {
    throw new Error('password=hunter22 is wrong');
  });
  const run = await runAgent({
    agent,
    message: 'Refund order A1.',
    script: [refund('A1'), done],
    decisions: { refund_order: 'approve' },
  });
  expect(run.outcome).toBe('completed');
  expect(run.calls).toMatchObject([{ ran: 1, status: 'error' }]);
  expect(lastText(run, 2)).not.toContain('hunter22');
});

test('a write whose outcome is unknown asks what became of it', async () => {
  const { agent, refunds } = refundAgent(() => new Promise(() => undefined), 50);
  const kinds: string[] = [];
  const run = await runAgent({
    agent,
    message: 'Refund order A1.',
    script: [refund('A1'), done],
    decisions: {
      refund_order: ({ kind }) => {
        kinds.push(kind);
        return kind === 'call' ? 'approve' : 'applied';
      },
    },
  });
  expect(kinds).toEqual(['call', 'outcome']);
  expect(refunds).toEqual([]);
  expect(run.calls).toMatchObject([{ asked: 1, ran: 1, status: 'success' }]);
});

test('the policy of the project denies a call and lets a write run without asking', async () => {
  const { agent, refunds } = refundAgent();
  const run = await runAgent({
    agent,
    message: 'Refund order A1.',
    script: [reply({ calls: [{ tool: 'find_order', args: { orderId: 'A1' } }] }), refund('A1'), done],
    policy: { version: '7', decide: ({ tool }) => ({ verdict: tool.effect === 'read' ? 'deny' : 'run' }) },
  });
  expect(run.calls).toMatchObject([
    { tool: 'find_order', verdict: 'deny', ran: 0, status: 'denied' },
    { tool: 'refund_order', verdict: 'run', asked: 0, ran: 1, status: 'success' },
  ]);
  expect(refunds).toHaveLength(1);
});

test('unknown tools and invalid arguments are answered, and the model goes on', async () => {
  const { agent, refunds } = refundAgent();
  const run = await runAgent({
    agent,
    message: 'Do something.',
    script: [
      reply({
        calls: [
          { tool: 'no_such_tool' },
          { tool: 'refund_order', args: { orderId: 7 } },
          { tool: 'refund_order', argumentsText: '{"orderId":' },
        ],
      }),
      done,
    ],
  });
  expect(run.calls).toMatchObject([
    { tool: 'no_such_tool', status: 'unknown_tool' },
    { tool: 'refund_order', arguments: { orderId: 7 }, status: 'invalid' },
    { tool: 'refund_order', arguments: undefined, status: 'invalid' },
  ]);
  expect(refunds).toEqual([]);
});

test('a model that fails is asked again after growing pauses that nobody waits for', async () => {
  const { agent } = refundAgent();
  const run = await runAgent({
    agent,
    message: 'Hello.',
    script: [failure('model_overloaded'), cutStream({ text: 'Hel' }), failure('model_connection'), done],
  });
  expect(run.text).toBe('Done.');
  expect(run.requests).toHaveLength(4);
  const retries = run.entries.flatMap((entry) => (entry.type === 'model.retry' ? [[entry.data.code, entry.at]] : []));
  expect(retries).toEqual([
    ['model_overloaded', '2026-01-01T00:00:00.000Z'],
    ['model_stream_cut', '2026-01-01T00:00:00.500Z'],
    ['model_connection', '2026-01-01T00:00:01.500Z'],
  ]);
  expect(run.entries.at(-1)?.at).toBe('2026-01-01T00:00:03.500Z');
});

test('a model that fails for good ends its turn, and the next message has a turn of its own', async () => {
  const { agent } = refundAgent();
  const five = Array.from({ length: 5 }, () => failure('model_rate_limit'));
  const run = await runAgent({ agent, messages: ['Hello.', 'And now?'], script: [...five, done] });
  expect(run.turns).toMatchObject([
    { turn: 1, outcome: 'failed', code: 'model_rate_limit', text: '' },
    { turn: 2, outcome: 'completed', text: 'Done.' },
  ]);
});

test('a limit of the run ends its turn with a round without tools', async () => {
  const { agent } = refundAgent();
  const find = reply({ calls: [{ tool: 'find_order', args: { orderId: 'A1' } }] });
  const run = await runAgent({ agent, message: 'Find.', script: [find, done], limits: { roundsPerTurn: 1 } });
  expect(run.outcome).toBe('max_rounds');
  expect(run.requests.at(-1)?.tools).toEqual([]);
});

test('a message that comes during a request steers the next round of the turn', async () => {
  const { agent } = refundAgent();
  const run = await runAgent({
    agent,
    messages: ['Find A1.', { content: 'A2 is meant.', mode: 'steer', whileRequest: 1 }, 'Thanks.'],
    script: [
      reply({ calls: [{ tool: 'find_order', args: { orderId: 'A1' } }] }),
      reply({
        text: 'A2, then.',
        expectRequest: ({ messages }) => expect(JSON.stringify(messages)).toContain('A2 is meant.'),
      }),
      done,
    ],
  });
  expect(run.turns).toMatchObject([
    { turn: 1, text: 'A2, then.', rounds: 2 },
    { turn: 2, text: 'Done.' },
  ]);
});

test('runs at the same time do not disturb each other', async () => {
  let open: () => void = () => undefined;
  const isLastRefunded = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { agent, refunds } = refundAgent((orderId) => (orderId === 'A1' ? isLastRefunded : open()));
  const runOne = (orderId: string, decision: 'approve' | 'reject') =>
    runAgent({
      agent,
      message: `Refund ${orderId}.`,
      script: [refund(orderId), reply({ text: `Done with ${orderId}.` })],
      decisions: { refund_order: decision },
    });
  const runs = await Promise.all([runOne('A1', 'approve'), runOne('A2', 'reject'), runOne('A3', 'approve')]);
  expect(runs.map(({ text }) => text)).toEqual(['Done with A1.', 'Done with A2.', 'Done with A3.']);
  expect(runs.map(({ calls }) => calls.map(({ status }) => status))).toEqual([['success'], ['rejected'], ['success']]);
  expect(refunds.map(({ orderId }) => orderId).sort()).toEqual(['A1', 'A3']);
});

test('the same run twice writes the same log, but for random values and real durations', async () => {
  const { agent } = refundAgent();
  const once = async () => {
    const script = [failure('model_overloaded'), refund('A1'), done];
    const run = await runAgent({ agent, message: 'Refund.', script, decisions: { refund_order: 'approve' } });
    return run.entries.map(({ seq, key, at }) => [seq, key, at]);
  };
  expect(await once()).toEqual(await once());
});

test('the mock model plays as well, under the API that the agent names', async () => {
  const { tools } = refundAgent();
  const agent = defineAgent({ name: 'support', model: 'openai:gpt-5', system: 'You help.', tools });
  const run = await runAgent({
    agent,
    message: 'call refund_order {"orderId":"A1"}',
    script: createMockModel(),
    decisions: { refund_order: 'approve' },
  });
  expect(run.calls).toMatchObject([{ tool: 'refund_order', status: 'success' }]);
  expect(run.requests[0]?.model).toBe('gpt-5');
});
