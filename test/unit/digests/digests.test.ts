import { createHash } from 'node:crypto';
import { isId } from '../../../src/core/ids';
import { argumentsDigest } from '../../../src/digests/arguments-digest';
import { approvalIdOf, decisionIdOf, messageIdOf, sessionIdOf } from '../../../src/digests/derived-ids';
import { digestOf, digestOfBytes } from '../../../src/digests/digest-of';
import { idempotencyKeyOf } from '../../../src/digests/idempotency-key';

const DIGEST = /^[A-Za-z0-9_-]{43}$/;

/** Every way to change one part of `parts`, as [name, changed parts]. */
function changes<Parts extends object>(parts: Parts): [string, Parts][] {
  return Object.entries(parts).map(([name, value]) => [
    name,
    { ...parts, [name]: typeof value === 'number' ? value + 1 : name === 'args' ? { other: true } : `${value}x` },
  ]);
}

describe('digestOf', () => {
  it('is the SHA-256 of the canonical JSON', () => {
    const expected = createHash('sha256').update('{"a":[1],"b":"\u20ac"}', 'utf8').digest('base64url');
    expect(digestOf({ b: '\u20ac', a: [1] })).toBe(expected);
    expect(digestOfBytes('{"a":[1],"b":"\u20ac"}')).toBe(expected);
    expect(expected).toMatch(DIGEST);
  });
});

describe('argumentsDigest', () => {
  const parts = { tenant: 't', sessionId: 's', callId: 't1-r1-c1', tool: 'write_file', args: { b: 1, a: 2 } };
  const salt = new Uint8Array(32).fill(7);

  it('is the same for the same arguments in another order', () => {
    expect(argumentsDigest(salt, parts)).toBe(argumentsDigest(salt, { ...parts, args: { a: 2, b: 1 } }));
    expect(argumentsDigest(salt, parts)).toMatch(DIGEST);
  });

  it('changes with the salt, so that it can not be guessed without it', () => {
    expect(argumentsDigest(new Uint8Array(32), parts)).not.toBe(argumentsDigest(salt, parts));
  });

  it.each(changes(parts))('changes with %s', (_name, changed) => {
    expect(argumentsDigest(salt, changed)).not.toBe(argumentsDigest(salt, parts));
  });
});

describe('idempotencyKeyOf', () => {
  const parts = { tenant: 't', sessionId: 's', turn: 1, round: 1, ordinal: 1, tool: 'write_file', args: { a: 1 } };

  it('is stable', () => {
    expect(idempotencyKeyOf(parts)).toBe(idempotencyKeyOf({ ...parts }));
    expect(idempotencyKeyOf(parts)).toMatch(DIGEST);
  });

  it.each(changes(parts))('changes with %s', (_name, changed) => {
    expect(idempotencyKeyOf(changed)).not.toBe(idempotencyKeyOf(parts));
  });
});

describe('derived ids', () => {
  const approval = { tenant: 't', sessionId: 's', callId: 't1-r1-c1', kind: 'call', ask: 1 } as const;
  const decision = { approvalId: 'ap_1', decision: 'approve', argumentsDigest: 'x', comment: 'y' };
  const request = { tenant: 't', route: 'POST /v1/sessions', idempotencyKey: 'k' };

  it('are ids with a prefix that says what they name', () => {
    const ids = [approvalIdOf(approval), decisionIdOf(decision), sessionIdOf(request), messageIdOf(request)];
    expect(ids.map(isId)).toEqual([true, true, true, true]);
    expect(ids.map((id) => id.split('_')[0])).toEqual(['ap', 'd', 's', 'm']);
    expect(approvalIdOf(approval)).toMatch(/^ap_[A-Za-z0-9_-]{22}$/);
  });

  it.each(changes<Parameters<typeof approvalIdOf>[0]>(approval))('approval ids change with %s', (_name, changed) => {
    expect(approvalIdOf(changed)).not.toBe(approvalIdOf(approval));
  });

  it.each(changes(decision))('decision ids change with %s', (_name, changed) => {
    expect(decisionIdOf(changed)).not.toBe(decisionIdOf(decision));
  });

  it('tell an absent comment from an empty one and from a digest in its place', () => {
    const ids = new Set([
      decisionIdOf({ approvalId: 'a', decision: 'reject' }),
      decisionIdOf({ approvalId: 'a', decision: 'reject', comment: '' }),
      decisionIdOf({ approvalId: 'a', decision: 'reject', argumentsDigest: 'b' }),
      decisionIdOf({ approvalId: 'a', decision: 'reject', comment: 'b' }),
    ]);
    expect(ids.size).toBe(4);
  });

  it.each(changes(request))('session and message ids change with %s', (_name, changed) => {
    expect(sessionIdOf(changed)).not.toBe(sessionIdOf(request));
    expect(messageIdOf(changed)).not.toBe(messageIdOf(request));
  });
});
