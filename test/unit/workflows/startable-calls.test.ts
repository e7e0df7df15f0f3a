import { type CallState, callsOf } from '../../../src/workflows/agent-session-state';
import { startableCalls } from '../../../src/workflows/startable-calls';
import { plan } from '../../support/session-driver';

function calls(...wanted: ('parallel' | 'exclusive')[]): CallState[] {
  return callsOf(wanted.map((kind, index) => plan(index + 1, kind === 'parallel' ? { parallel: true } : {})));
}

function startableIds(states: readonly CallState[]): string[] {
  return startableCalls(states).map((call) => call.callId);
}

test('calls run one after another by default', () => {
  expect(startableIds(calls('exclusive', 'exclusive'))).toEqual(['t1-r1-c1']);
});

test('calls that may overlap start together, up to the next exclusive one', () => {
  expect(startableIds(calls('parallel', 'parallel', 'exclusive', 'parallel'))).toEqual(['t1-r1-c1', 't1-r1-c2']);
});

test('an exclusive call waits for those that run', () => {
  const [first, second] = calls('parallel', 'exclusive');
  expect(startableIds([{ ...first, step: 'running' } as CallState, second as CallState])).toEqual([]);
});

test('nothing passes a running exclusive call', () => {
  const [first, second] = calls('exclusive', 'parallel');
  expect(startableIds([{ ...first, step: 'running' } as CallState, second as CallState])).toEqual([]);
});

test('at most ten run at a time', () => {
  const many = calls(...Array.from({ length: 12 }, () => 'parallel' as const));
  expect(startableIds(many)).toHaveLength(10);
  const running = many.map((call, index) => (index < 9 ? { ...call, step: 'running' as const } : call));
  expect(startableIds(running)).toEqual(['t1-r1-c10']);
});

test('a held call is no barrier', () => {
  const [first, second] = calls('exclusive', 'exclusive');
  expect(startableIds([{ ...first, step: 'held' } as CallState, second as CallState])).toEqual(['t1-r1-c2']);
});
