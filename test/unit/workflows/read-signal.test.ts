import { UNDECODABLE } from '../../../src/workflows/payload-converter';
import {
  isCloseSignal,
  readCancelSignal,
  readDecideSignal,
  readMessageSignal,
  readSessionStart,
} from '../../../src/workflows/read-signal';

const HOSTILE: readonly unknown[] = [
  null,
  0,
  '',
  'text',
  true,
  [],
  [{}],
  {},
  UNDECODABLE,
  { messageId: 1 },
  { messageId: '' },
  { messageId: '../x', content: 'hi' },
  { messageId: 'm1' },
  { messageId: 'm1', content: '   ' },
  { messageId: 'm1', content: 5 },
  { messageId: 'm1', ref: 'other' },
  { messageId: 'm1', content: 'x'.repeat(16_385) },
  { messageId: 'm1', content: 'é'.repeat(9_000) },
  { messageId: 'm1', content: 'hi', mode: 'shout' },
  { messageId: 'm1', content: 'hi', principal: { admin: true } },
  { approvalId: 'a1' },
  { approvalId: 'a1', decision: 1 },
  { approvalId: 'a b', decision: 'approve' },
  { approvalId: 'a1', decision: 'x'.repeat(41) },
  { approvalId: 'a1', decision: 'approve', decisionId: '' },
  { approvalId: 'a1', decision: 'approve', argumentsDigest: 5 },
  { approvalId: 'a1', decision: 'approve', comment: ['x'] },
];

test.each(HOSTILE.map((payload) => [JSON.stringify(payload)?.slice(0, 60), payload]))(
  '%s is neither a message nor a decision',
  (_name, payload) => {
    expect(readMessageSignal(payload)).toBeUndefined();
    expect(readDecideSignal(payload)).toBeUndefined();
  },
);

test('a message may be a reference or a short text', () => {
  expect(readMessageSignal({ messageId: 'm1', ref: 'm1', mode: 'steer' })).toEqual({ messageId: 'm1', mode: 'steer' });
  expect(readMessageSignal({ messageId: 'm1', content: 'hi' })).toEqual({
    messageId: 'm1',
    mode: 'followup',
    content: 'hi',
  });
});

test('a decision with a reference is a mere wake-up, one without is a candidate', () => {
  expect(readDecideSignal({ approvalId: 'a1', ref: 'd1', decision: 'approve' })).toEqual({ approvalId: 'a1' });
  expect(readDecideSignal({ approvalId: 'a1', decision: 'approve', argumentsDigest: 'x' })).toEqual({
    approvalId: 'a1',
    candidate: { decision: 'approve', argumentsDigest: 'x' },
  });
});

test('an approval with edited arguments is no approval of the arguments as they were', () => {
  const signal = readDecideSignal({ approvalId: 'a1', decision: 'approve', argumentsDigest: 'x', editedArguments: {} });
  expect(signal?.candidate?.decision).toBe('approve with edits');
});

test('an extra member never reaches the state', () => {
  expect(readMessageSignal({ messageId: 'm1', content: 'hi', isAdmin: true })).not.toHaveProperty('isAdmin');
});

test('a cancel needs no payload, and refuses a broken one', () => {
  expect(readCancelSignal(undefined)).toEqual({ keepQueue: false });
  expect(readCancelSignal({ turn: 3, keepQueue: true })).toEqual({ turn: 3, keepQueue: true });
  for (const payload of [null, 'x', UNDECODABLE, { turn: 0 }, { turn: '1' }, { keepQueue: 'yes' }]) {
    expect(readCancelSignal(payload)).toBeUndefined();
  }
});

test('a close needs no payload, and refuses a broken one', () => {
  expect([undefined, {}, { reason: 'x' }].map(isCloseSignal)).toEqual([true, true, true]);
  expect([null, 'x', UNDECODABLE].map(isCloseSignal)).toEqual([false, false, false]);
});

test('a start input must name the session of the workflow id', () => {
  const start = { v: 1, tenant: 'acme', sessionId: 's1', agent: 'workspace' };
  expect(readSessionStart(start, 'acme/s1')).toEqual({ tenant: 'acme', sessionId: 's1', agent: 'workspace' });
  for (const [payload, workflowId] of [
    [start, 'acme/s2'],
    [start, 'other/s1'],
    [start, 's1'],
    [start, 'acme/s1/x'],
    [{ ...start, v: 2 }, 'acme/s1'],
    [{ ...start, agent: 'a b' }, 'acme/s1'],
    [{ ...start, mode: 'dance' }, 'acme/s1'],
    [{ ...start, message: {} }, 'acme/s1'],
    [{ ...start, limits: { roundsPerTurn: 'many' } }, 'acme/s1'],
    [{ ...start, limits: { rounds: 1 } }, 'acme/s1'],
    [{ ...start, limits: null }, 'acme/s1'],
    [{ ...start, metadata: { nested: {} } }, 'acme/s1'],
    [{ ...start, metadata: { long: 'x'.repeat(2_048) } }, 'acme/s1'],
    [{ ...start, returnText: 'yes' }, 'acme/s1'],
    [UNDECODABLE, 'acme/s1'],
    [undefined, 'acme/s1'],
  ] as const) {
    expect(readSessionStart(payload, workflowId)).toBeUndefined();
  }
});

test('a start input may say mode, limits, metadata and whether it wants the text', () => {
  const options = { mode: 'task', limits: { roundsPerTurn: 2 }, metadata: { ticket: '7' } };
  const start = { v: 1, tenant: 'acme', sessionId: 's1', agent: 'workspace', ...options, returnText: true };
  expect(readSessionStart({ ...start, isAdmin: true }, 'acme/s1')).toEqual({
    tenant: 'acme',
    sessionId: 's1',
    agent: 'workspace',
    options,
    returnText: true,
  });
});
