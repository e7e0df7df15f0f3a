import { durationText } from '../../core/display/time-text';
import type { ApprovalView } from '../../core/http-answers';
import { foreignLine } from './foreign-text';

export const APPROVAL_HEADINGS = ['approval', 'tool', 'risk', 'status', 'expires in', 'session', 'question'] as const;

/** A question as a row of a table under `APPROVAL_HEADINGS`; a terminal may be given it. */
export function approvalRow(approval: ApprovalView, nowMs: number): readonly string[] {
  const { approvalId, tool, risk, status, expiresAt, sessionId, summary } = approval;
  const left = status === 'pending' ? durationText(Date.parse(expiresAt) - nowMs) : '';
  return [approvalId, tool, risk, status, left, sessionId, summary].map(foreignLine);
}
