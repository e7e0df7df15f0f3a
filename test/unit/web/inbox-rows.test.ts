import { type InboxRow, missingFrom, withApprovals, withoutClosedBefore } from '../../../web/inbox/inbox-rows';
import type { KnownApproval } from '../../../web/inbox/known-approval';

function approval(approvalId: string, changed: Partial<KnownApproval> = {}): KnownApproval {
  return {
    approvalId,
    kind: 'call',
    sessionId: `s-${approvalId}`,
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
    status: 'pending',
    ...changed,
  };
}

function idsOf(rows: readonly InboxRow[]): readonly string[] {
  return rows.map((row) => row.approval.approvalId);
}

test('what expires soonest comes first, then what was asked first, and one turn stays together', () => {
  const rows = withApprovals(
    [],
    [
      approval('late', { expiresAt: '2026-01-03T00:00:00.000Z' }),
      approval('second', { sessionId: 's', requestedAt: '2026-01-01T02:00:00.000Z' }),
      approval('other', { requestedAt: '2026-01-01T01:00:00.000Z', expiresAt: '2026-01-01T23:00:00.000Z' }),
      approval('first', { sessionId: 's', expiresAt: '2026-01-01T20:00:00.000Z' }),
    ],
    0,
  );
  expect(idsOf(rows)).toEqual(['first', 'second', 'other', 'late']);
});

test('the calls of a round stand in the order of their numbers', () => {
  const calls = ['t1-r1-c10', 't1-r1-c2', 't1-r1-c1'].map((callId, index) =>
    approval(`ap-${index}`, { sessionId: 's', callId }),
  );
  expect(withApprovals([], calls, 0).map((row) => row.approval.callId)).toEqual(['t1-r1-c1', 't1-r1-c2', 't1-r1-c10']);
});

test('a question that was answered stays in its place', () => {
  const rows = withApprovals([], [approval('a'), approval('b'), approval('c')], 0);
  const after = withApprovals(rows, [approval('b', { status: 'rejected' })], 5);
  expect(idsOf(after)).toEqual(['a', 'b', 'c']);
  expect(after[1]).toMatchObject({ closedAtMs: 5, approval: { status: 'rejected' } });
  expect(idsOf(withoutClosedBefore(after, 4))).toEqual(['a', 'b', 'c']);
  expect(idsOf(withoutClosedBefore(after, 5))).toEqual(['a', 'c']);
});

test('an older look does not open a question again', () => {
  const closed = withApprovals(withApprovals([], [approval('a')], 0), [approval('a', { status: 'approved' })], 1);
  expect(withApprovals(closed, [approval('a')], 2)).toMatchObject([
    { closedAtMs: 1, approval: { status: 'approved' } },
  ]);
});

test('a list entry takes nothing away from what is known in full', () => {
  const full = approval('a', { policyVersion: '3', decisions: [] });
  expect(withApprovals(withApprovals([], [full], 0), [approval('a')], 1)).toMatchObject([
    { approval: { policyVersion: '3' } },
  ]);
});

test('a question that was never seen open is no row', () => {
  expect(withApprovals([], [approval('a', { status: 'expired' })], 0)).toEqual([]);
});

test('open rows that a fresh list lacks have to be read again, answered ones have not', () => {
  const rows = withApprovals([], [approval('a'), approval('b'), approval('c')], 0);
  const closed = withApprovals(rows, [approval('c', { status: 'approved' })], 1);
  expect(missingFrom(closed, [approval('a')])).toEqual(['b']);
});
