import { type AgentRun, type LogMatchers, logMatchers, reply, runAgent } from '../../../src/testing';
import { refundAgent } from '../../support/testing/refund-agent';

declare global {
  // biome-ignore lint/style/noNamespace: the one way to tell @types/jest about matchers; the how-to shows it to users.
  namespace jest {
    interface Matchers<R> extends LogMatchers<R> {}
  }
}

expect.extend(logMatchers);

const CALLS = [
  'Calls in the log:',
  '  t1-r1-c1 find_order {"orderId":"A1"}: asked 0 times, ran once, success',
  '  t1-r1-c2 refund_order {"orderId":"A1"}: asked once, ran once, success',
  '  t1-r1-c3 refund_order {"orderId":"A2"}: asked once, ran 0 times, rejected',
].join('\n');

let run: AgentRun;

beforeAll(async () => {
  const { agent } = refundAgent();
  run = await runAgent({
    agent,
    message: 'Refund A1 and A2.',
    script: [
      reply({
        calls: [
          { tool: 'find_order', args: { orderId: 'A1' } },
          { tool: 'refund_order', args: { orderId: 'A1' } },
          { tool: 'refund_order', args: { orderId: 'A2' } },
        ],
      }),
      reply({ text: 'Done.' }),
    ],
    decisions: ({ summary }) => (summary === 'Refund A1' ? 'approve' : 'reject'),
  });
});

/** The message of a matcher that fails. */
function messageOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('The matcher did not fail.');
}

test('toHaveAsked tells calls somebody was asked about from the others', () => {
  expect(run).toHaveAsked('refund_order');
  expect(run).toHaveAsked('refund_order', { orderId: 'A2' });
  expect(run).toHaveAsked('refund_order', { orderId: expect.stringMatching(/^A/) });
  expect(run).not.toHaveAsked('find_order');
  expect(run).not.toHaveAsked('refund_order', { orderId: 'A3' });
  expect(run).not.toHaveAsked('refund_order', {});
  expect(messageOf(() => expect(run).toHaveAsked('refund_order', { orderId: 'A3' }))).toBe(
    `expected refund_order {"orderId":"A3"} to have been asked about\n${CALLS}`,
  );
  expect(messageOf(() => expect(run).not.toHaveAsked('refund_order'))).toContain('refund_order not to have been asked');
});

test('toHaveRun counts how often the body of a tool was started', () => {
  expect(run).toHaveRun('find_order', { orderId: 'A1' }, { times: 1 });
  expect(run).toHaveRun('refund_order');
  expect(run).toHaveRun('refund_order', undefined, { times: 1 });
  expect(run).toHaveRun('refund_order', { orderId: 'A2' }, { times: 0 });
  expect(run).not.toHaveRun('refund_order', { orderId: 'A2' });
  expect(run).not.toHaveRun('no_such_tool');
  expect(messageOf(() => expect(run).toHaveRun('refund_order', { orderId: 'A2' }))).toBe(
    `expected refund_order {"orderId":"A2"} to have run; it ran 0 times\n${CALLS}`,
  );
  expect(messageOf(() => expect(run).toHaveRun('find_order', undefined, { times: 2 }))).toContain(
    'expected find_order to have run 2 times; it ran once',
  );
});

test('toHaveEnded looks at the last turn', () => {
  expect(run).toHaveEnded('completed');
  expect(run).not.toHaveEnded('failed');
  expect(messageOf(() => expect(run).toHaveEnded('max_rounds'))).toBe(
    `expected the last turn to have ended as max_rounds; it ended as completed\n${CALLS}`,
  );
});

test('toHaveAnswered looks at results', () => {
  expect(run).toHaveAnswered('refund_order', 'success');
  expect(run).toHaveAnswered('refund_order', 'rejected');
  expect(run).not.toHaveAnswered('find_order', 'error');
  expect(messageOf(() => expect(run).toHaveAnswered('find_order', 'error'))).toBe(
    `expected a call of find_order to be answered error\n${CALLS}`,
  );
});

test('entries do as well as a run, and anything else is refused', () => {
  expect(run.entries).toHaveRun('refund_order');
  expect([]).not.toHaveRun('refund_order');
  expect(messageOf(() => expect([]).toHaveEnded('completed'))).toBe(
    'expected the last turn to have ended as completed; no turn has ended\nThe log has no calls.',
  );
  expect(() => expect('text').toHaveRun('refund_order')).toThrow(TypeError);
});
