import type { ApprovalStatus, DecisionRecord } from '../../src/core/approvals';
import type { ApprovalDetail, ApprovalView } from '../../src/core/http-answers';

/** A question as far as this page knows it: from the list, or with everything there is. */
export type KnownApproval = ApprovalView & Partial<Omit<ApprovalDetail, keyof ApprovalView>>;

/** A status only moves up this ladder. */
const STEP: Readonly<Record<ApprovalStatus, number>> = {
  pending: 0,
  approved: 1,
  rejected: 2,
  expired: 2,
  cancelled: 2,
  superseded: 2,
};

/** What is known after another look. Looks may arrive in any order: an older one changes nothing. */
export function mergeApproval(known: KnownApproval | undefined, seen: KnownApproval): KnownApproval {
  if (known === undefined) {
    return seen;
  }
  const isOlder =
    STEP[seen.status] < STEP[known.status] || (seen.decisions?.length ?? 0) < (known.decisions?.length ?? 0);
  return isOlder ? { ...seen, ...known } : { ...known, ...seen };
}

/** The answer that moved a question out of `pending`; undefined while it is open or only its list entry is known. */
export function takenDecision(approval: KnownApproval): DecisionRecord | undefined {
  return approval.decisions?.findLast(({ outcome }) => outcome === 'taken');
}

/** How many different people have agreed so far. */
export function agreedCount(approval: KnownApproval): number {
  const agreed = (approval.decisions ?? []).filter(({ outcome }) => outcome === 'recorded' || outcome === 'taken');
  return new Set(agreed.map(({ principal }) => principal)).size;
}
