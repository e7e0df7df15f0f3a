import { DEFAULT_LIMITS, isSessionLimits, narrowedLimits, wideningLimits } from '../../../src/core/limits';
import { isSessionMetadata } from '../../../src/core/sessions';

describe('limits of a session', () => {
  test('narrow those of the agent, one by one', () => {
    expect(narrowedLimits(DEFAULT_LIMITS, { roundsPerTurn: 2, idleMs: 1_000 })).toEqual({
      ...DEFAULT_LIMITS,
      roundsPerTurn: 2,
      idleMs: 1_000,
    });
    expect(narrowedLimits(DEFAULT_LIMITS)).toEqual(DEFAULT_LIMITS);
  });

  test('never widen one, whatever they say', () => {
    expect(narrowedLimits(DEFAULT_LIMITS, { roundsPerTurn: 6, callsPerTurn: 3 })).toEqual({
      ...DEFAULT_LIMITS,
      callsPerTurn: 3,
    });
  });

  test('are wider when they are larger than the agent has, and not when they are the same', () => {
    expect(wideningLimits(DEFAULT_LIMITS, { roundsPerTurn: 5, callsPerTurn: 16, grantUseMs: 1 })).toEqual([
      'callsPerTurn',
    ]);
  });

  test('of 0 bytes for a result are the widest there are', () => {
    const uncapped = { ...DEFAULT_LIMITS, resultBytes: 0 };
    expect(wideningLimits(DEFAULT_LIMITS, { resultBytes: 0 })).toEqual(['resultBytes']);
    expect(narrowedLimits(DEFAULT_LIMITS, { resultBytes: 0 }).resultBytes).toBe(DEFAULT_LIMITS.resultBytes);
    expect(narrowedLimits(uncapped, { resultBytes: 100 }).resultBytes).toBe(100);
    expect(wideningLimits(uncapped, { resultBytes: 0 })).toEqual([]);
  });

  test.each([
    null,
    5,
    [],
    { rounds: 1 },
    { roundsPerTurn: 0 },
    { roundsPerTurn: 1.5 },
    { roundsPerTurn: '1' },
    { idleMs: 1e15 },
  ])('are refused in this shape: %j', (limits) => {
    expect(isSessionLimits(limits)).toBe(false);
  });

  test('may be none, and a result may be without a cap', () => {
    expect([{}, { resultBytes: 0 }, { roundsPerTurn: 1 }].map(isSessionLimits)).toEqual([true, true, true]);
  });
});

describe('metadata of a session', () => {
  test.each([null, 'text', [], { a: 1 }, { a: null }, { a: { b: 'c' } }, { a: '\ud800' }, { '\ud800': 'a' }])(
    'is refused in this shape: %j',
    (metadata) => {
      expect(isSessionMetadata(metadata)).toBe(false);
    },
  );

  test('has at most 2 KiB as JSON, in bytes', () => {
    const frameBytes = JSON.stringify({ a: '' }).length;
    expect(isSessionMetadata({ a: 'x'.repeat(2_048 - frameBytes) })).toBe(true);
    expect(isSessionMetadata({ a: 'x'.repeat(2_049 - frameBytes) })).toBe(false);
    expect(isSessionMetadata({ a: 'é'.repeat((2_048 - frameBytes) / 2 + 1) })).toBe(false);
  });
});
