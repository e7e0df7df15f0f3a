import type { ApprovalStatus } from '../../../src/core/approvals';
import { type Answer, type JudgedApproval, judgeDecision, outcomeOfStatus } from '../../../src/core/judge-decision';

const EXPIRES = '2026-03-02T10:00:00.000Z';
const BEFORE = '2026-03-02T09:59:59.999Z';

const call: JudgedApproval = {
  kind: 'call',
  status: 'pending',
  argumentsDigest: 'digest',
  expiresAt: EXPIRES,
  approversNeeded: 1,
  agreedBy: [],
};
const outcome: JudgedApproval = { ...call, kind: 'outcome' };

function by(decision: string, changes: Partial<Answer & { by: 'person' }> = {}): Answer {
  return { by: 'person', decision, argumentsDigest: 'digest', principal: 'ann', decidedAt: BEFORE, ...changes };
}

describe('judgeDecision', () => {
  it.each<[string, JudgedApproval, Answer, ApprovalStatus]>([
    ['approve', call, by('approve'), 'approved'],
    ['reject', call, by('reject', { argumentsDigest: undefined }), 'rejected'],
    ['applied', outcome, by('applied'), 'approved'],
    ['run_again', outcome, by('run_again'), 'approved'],
    ['abandon', outcome, by('abandon', { argumentsDigest: undefined }), 'rejected'],
    ['expiry at the very moment', call, { by: 'expiry', expiredAt: EXPIRES }, 'expired'],
    ['expiry of an outcome question', outcome, { by: 'expiry', expiredAt: EXPIRES }, 'expired'],
    ['withdrawal', call, { by: 'withdrawal' }, 'cancelled'],
  ])('takes %s', (_name, approval, answer, status) => {
    expect(judgeDecision(approval, answer)).toEqual({ outcome: 'taken', status });
  });

  it.each<[string, JudgedApproval, Answer]>([
    ['an unknown word', call, by('aprove')],
    ['a word of the other kind', call, by('run_again')],
    ['a word of the other kind, the other way round', outcome, by('approve')],
    ['a word of its own', call, by('expire')],
    ['a name every object has', call, by('constructor')],
    ['an expiry before the time', call, { by: 'expiry', expiredAt: BEFORE }],
    ['an expiry at a time nobody can read', call, { by: 'expiry', expiredAt: 'soon' }],
    ['the withdrawal of an outcome question', outcome, { by: 'withdrawal' }],
  ])('calls %s invalid', (_name, approval, answer) => {
    expect(judgeDecision(approval, answer)).toEqual({ outcome: 'invalid', status: 'pending' });
  });

  it.each([
    ['approve', call],
    ['applied', outcome],
    ['run_again', outcome],
  ] as const)('refuses %s without the digest of the arguments, or with another', (word, approval) => {
    for (const argumentsDigest of [undefined, '', 'other']) {
      const judgement = judgeDecision(approval, by(word, { argumentsDigest }));
      expect(judgement).toEqual({ outcome: 'digest_mismatch', status: 'pending' });
    }
  });

  it.each([
    ['at the moment it expires', EXPIRES],
    ['at a time nobody can read', 'yesterday'],
  ])('takes no decision that counts as given %s', (_name, decidedAt) => {
    expect(judgeDecision(call, by('approve', { decidedAt }))).toEqual({ outcome: 'expired', status: 'pending' });
    expect(judgeDecision(call, by('reject', { decidedAt }))).toEqual({ outcome: 'expired', status: 'pending' });
  });

  it.each<[ApprovalStatus, string]>([
    ['approved', 'already_decided'],
    ['rejected', 'already_decided'],
    ['expired', 'expired'],
    ['cancelled', 'cancelled'],
    ['superseded', 'superseded'],
  ])('moves nothing that is %s', (status, expected) => {
    const answers = [by('approve'), by('reject'), { by: 'withdrawal' }, { by: 'expiry', expiredAt: EXPIRES }] as const;
    for (const answer of answers) {
      expect(judgeDecision({ ...call, status }, answer)).toEqual({ outcome: expected, status });
    }
    expect(outcomeOfStatus(status)).toBe(expected);
  });

  it('waits until enough different people agree, and lets one reject', () => {
    const two = { ...call, approversNeeded: 2 };
    expect(judgeDecision(two, by('approve'))).toEqual({ outcome: 'recorded', status: 'pending' });
    const agreed = { ...two, agreedBy: ['ann'] };
    expect(judgeDecision(agreed, by('approve'))).toEqual({ outcome: 'recorded', status: 'pending' });
    expect(judgeDecision(agreed, by('approve', { principal: 'bob' }))).toEqual({
      outcome: 'taken',
      status: 'approved',
    });
    expect(judgeDecision(agreed, by('reject'))).toEqual({ outcome: 'taken', status: 'rejected' });
  });
});
