import type { ApprovalRecord } from '../core/approvals';
import type { ApprovalDetail, ApprovalView } from '../core/http-answers';

/** A question as lists show it. */
export function approvalView(record: ApprovalRecord): ApprovalView {
  return {
    approvalId: record.approvalId,
    kind: record.kind,
    sessionId: record.sessionId,
    turn: record.turn,
    round: record.round,
    callId: record.callId,
    tool: record.tool,
    summary: record.summary,
    arguments: record.arguments,
    ...(record.preview === undefined ? {} : { preview: record.preview }),
    argumentsDigest: record.argumentsDigest,
    risk: record.risk,
    reason: record.reason,
    requestedAt: record.requestedAt,
    expiresAt: record.expiresAt,
    status: record.status,
  };
}

/** A question with its decisions and what they were judged by. */
export function approvalDetail(record: ApprovalRecord): ApprovalDetail {
  return {
    ...approvalView(record),
    ask: record.ask,
    toolDigest: record.toolDigest,
    ...(record.precondition === undefined ? {} : { precondition: record.precondition }),
    policyVersion: record.policyVersion,
    approversNeeded: record.approversNeeded,
    requesterMayApprove: record.requesterMayApprove,
    ...(record.useBy === undefined ? {} : { useBy: record.useBy }),
    decisions: record.decisions,
  };
}
