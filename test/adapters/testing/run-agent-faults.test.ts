import { failure, reply, runAgent, scriptedModel } from '../../../src/testing';
import { refundAgent } from '../../support/testing/refund-agent';

const refund = reply({ calls: [{ tool: 'refund_order', args: { orderId: 'A1' } }] });
const done = reply({ text: 'Done.' });
const notAsScripted = (...lines: readonly string[]) => ({
  code: 'not_as_scripted',
  message: expect.stringMatching(
    new RegExp(lines.map((line) => line.replace(/[()[\]{}.*?]/g, '\\$&')).join('[\\s\\S]*')),
  ),
});

test('a question without an answer fails the run, shows what was asked, and nothing runs', async () => {
  const { agent, refunds } = refundAgent();
  const run = runAgent({ agent, message: 'Refund.', script: [refund, done], decisions: { find_order: 'approve' } });
  await expect(run).rejects.toMatchObject(
    notAsScripted(
      'The test has no answer for a question about refund_order.',
      'call: t1-r1-c1',
      'kind: call (answers: approve, reject, expire)',
      'summary: Refund A1',
      'arguments: {"orderId":"A1"}',
      'risk: high',
      'reason: writes_are_reviewed',
      'preview:',
      '    A1',
      "decisions: { refund_order: 'approve' }",
    ),
  );
  expect(refunds).toEqual([]);
});

test('a function that has no answer for a question fails the run, too', async () => {
  const { agent } = refundAgent();
  const run = runAgent({ agent, message: 'Refund.', script: [refund, done], decisions: () => undefined });
  await expect(run).rejects.toMatchObject(notAsScripted('no answer for a question about refund_order'));
});

test('a name that every object has is no answer', async () => {
  const { agent } = refundAgent();
  const decisions = Object.create({ refund_order: 'approve' });
  const run = runAgent({ agent, message: 'Refund.', script: [refund, done], decisions });
  await expect(run).rejects.toMatchObject(notAsScripted('no answer for a question'));
});

test('an answer that does not fit the question is not taken for another one', async () => {
  const { agent, refunds } = refundAgent(() => new Promise(() => undefined), 50);
  const run = runAgent({ agent, message: 'Refund.', script: [refund, done], decisions: { refund_order: 'approve' } });
  await expect(run).rejects.toMatchObject(
    notAsScripted(
      'The answer "approve" does not fit a question about refund_order',
      'applied, run_again, abandon, expire',
    ),
  );
  expect(refunds).toEqual([]);
});

test('what a decision function throws comes out as it is', async () => {
  const { agent } = refundAgent();
  const fault = new Error('wrong arguments');
  const decisions = () => {
    throw fault;
  };
  await expect(runAgent({ agent, message: 'Refund.', script: [refund, done], decisions })).rejects.toBe(fault);
});

test('a model that is asked more often than its script has steps fails the run and shows the request', async () => {
  const { agent } = refundAgent();
  const find = reply({ calls: [{ tool: 'find_order', args: { orderId: 'A1' } }] });
  await expect(runAgent({ agent, message: 'Find.', script: [find] })).rejects.toMatchObject(
    notAsScripted(
      'The model was asked 2 times, but the script has 1 step.',
      'result of find_order: {"orderId":"A1","amountCents":500}',
      '1. reply(calls find_order {"orderId":"A1"})',
    ),
  );
});

test('steps that nobody asked for fail the run and are named', async () => {
  const { agent } = refundAgent();
  const script = [done, reply({ text: 'More.' }), failure('model_timeout')];
  await expect(runAgent({ agent, message: 'Hello.', script })).rejects.toMatchObject(
    notAsScripted(
      '2 of 3 steps of the script were not used',
      '2. reply(More.)',
      '3. failure(model_timeout)',
      'How the turns ended:',
      '1. completed',
    ),
  );
});

test('what expectRequest throws comes out as it is, and nothing more is played', async () => {
  const { agent, refunds } = refundAgent();
  const fault = new Error('not what I expected');
  const step = reply({
    calls: [{ tool: 'refund_order', args: { orderId: 'A1' } }],
    expectRequest: () => {
      throw fault;
    },
  });
  const model = scriptedModel([step, done]);
  const decisions = { refund_order: 'approve' } as const;
  await expect(runAgent({ agent, messages: ['One.', 'Two.'], script: model, decisions })).rejects.toBe(fault);
  expect(refunds).toEqual([]);
  expect(model.requests).toHaveLength(1);
});

test('a message whose request never comes fails the run', async () => {
  const { agent } = refundAgent();
  const messages = ['Hello.', { content: 'Wait!', mode: 'steer', whileRequest: 2 } as const];
  await expect(runAgent({ agent, messages, script: [done] })).rejects.toMatchObject(
    notAsScripted('Message "Wait!" was to come during model request 2'),
  );
});

test.each([
  ['neither message nor messages', {}],
  ['both', { message: 'a', messages: ['b'] }],
  ['no messages', { messages: [] }],
  ['a first message that wakes nobody', { messages: [{ content: 'a', mode: 'inject' as const }] }],
  ['a first message that waits', { messages: [{ content: 'a', whileRequest: 1 }] }],
  ['a start that is no time', { message: 'a', startAt: 'soon' }],
])('options that can not be run are refused: %s', async (_name, options) => {
  const { agent } = refundAgent();
  await expect(runAgent({ agent, script: [done], ...options })).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a scripted model of its own is checked like a script', async () => {
  const { agent } = refundAgent();
  const model = scriptedModel([done, done]);
  await expect(runAgent({ agent, message: 'Hello.', script: model })).rejects.toMatchObject({
    code: 'not_as_scripted',
  });
  expect(model.requests).toHaveLength(1);
});
