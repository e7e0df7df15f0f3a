import type { ApprovalStatus } from '../../../src/core/approvals';
import type { KnownApproval } from '../../../web/inbox/known-approval';
import { outcomeText } from '../../../web/inbox/outcome-text';

function textOf(status: ApprovalStatus): string {
  const approval: KnownApproval = {
    approvalId: 'a',
    kind: 'call',
    sessionId: 's',
    turn: 1,
    round: 1,
    callId: 't1-r1-c1',
    tool: 'write_file',
    summary: 'write',
    arguments: {},
    argumentsDigest: 'd',
    risk: 'medium',
    reason: 'r',
    requestedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-02T00:00:00.000Z',
    status,
  };
  return outcomeText('approve', 'taken', 'd_1', approval, 0);
}

test('an approval that was taken lets the call run', () => {
  expect(textOf('approved')).toBe('Approved. The call may run now.');
});

test.each(['superseded', 'cancelled'] as const)(
  'an approval that was %s before its answer lets nothing run',
  (status) => {
    expect(textOf(status)).toBe('Your decision was taken, but not used.');
  },
);
