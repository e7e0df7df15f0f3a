import { type KnownApproval, mergeApproval } from './known-approval';

/** A line of the inbox. */
export interface InboxRow {
  readonly approval: KnownApproval;
  /** When the page saw it answered, by `performance.now()`; null while it is open. It leaves some seconds later. */
  readonly closedAtMs: number | null;
}

/** The rows with another look at some questions. One nobody here has seen open is no news when it is answered. */
export function withApprovals(
  rows: readonly InboxRow[],
  seen: readonly KnownApproval[],
  nowMs: number,
): readonly InboxRow[] {
  const byId = new Map(rows.map((row) => [row.approval.approvalId, row]));
  for (const look of seen) {
    const row = byId.get(look.approvalId);
    if (row === undefined && look.status !== 'pending') {
      continue;
    }
    const approval = mergeApproval(row?.approval, look);
    const closedAtMs = approval.status === 'pending' ? null : (row?.closedAtMs ?? nowMs);
    byId.set(look.approvalId, { approval, closedAtMs });
  }
  return byId.size === rows.length ? [...byId.values()] : inOrder([...byId.values()]);
}

/** Ids of rows that were open and are not in a fresh list of what is open: something happened to them meanwhile. */
export function missingFrom(rows: readonly InboxRow[], pending: readonly KnownApproval[]): readonly string[] {
  const listed = new Set(pending.map(({ approvalId }) => approvalId));
  return rows
    .filter(({ approval }) => approval.status === 'pending' && !listed.has(approval.approvalId))
    .map(({ approval }) => approval.approvalId);
}

/** The rows without those that were answered before a moment. */
export function withoutClosedBefore(rows: readonly InboxRow[], beforeMs: number): readonly InboxRow[] {
  const kept = rows.filter(({ closedAtMs }) => closedAtMs === null || closedAtMs > beforeMs);
  return kept.length === rows.length ? rows : kept;
}

/** Soonest expiry first, then the oldest; the questions of one turn stay together, those of a round in its order. */
function inOrder(rows: readonly InboxRow[]): readonly InboxRow[] {
  const turnExpiry = new Map<string, string>();
  for (const { approval } of rows) {
    const turn = turnOf(approval);
    const known = turnExpiry.get(turn);
    if (known === undefined || approval.expiresAt < known) {
      turnExpiry.set(turn, approval.expiresAt);
    }
  }
  const keyOf = ({ approval }: InboxRow) =>
    [turnExpiry.get(turnOf(approval)) ?? '', turnOf(approval), approval.requestedAt, placeOf(approval)] as const;
  return rows.toSorted((left, right) => compareKeys(keyOf(left), keyOf(right)));
}

function turnOf({ sessionId, turn }: KnownApproval): string {
  return `${sessionId} ${turn}`;
}

/** The number of the call, so that 10 comes behind 2; calls of one round are asked about in the same moment. */
function placeOf({ callId, approvalId }: KnownApproval): string {
  const [, number = ''] = /(\d+)$/.exec(callId) ?? [];
  return `${number.padStart(9, '0')} ${approvalId}`;
}

function compareKeys(left: readonly string[], right: readonly string[]): number {
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? '';
    if (part !== other) {
      return part < other ? -1 : 1;
    }
  }
  return 0;
}
