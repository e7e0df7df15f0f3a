/** Ids made from what they stand for, so that a repeated step makes the same id. */
import type { ApprovalKind } from '../core/approvals';
import type { ApprovalId, DecisionId, MessageId, SessionId } from '../core/ids';
import { digestOf } from './digest-of';

/** 22 characters of base64url hold 132 bits: enough that two ids never meet by chance. */
const ID_CHARACTERS = 22;

/** The id of one question: position, kind and `ask`, the number of this question for the call, from 1. */
export function approvalIdOf(parts: {
  readonly tenant: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly kind: ApprovalKind;
  readonly ask: number;
}): ApprovalId {
  return derivedId('ap', [parts.tenant, parts.sessionId, parts.callId, parts.kind, parts.ask]) as ApprovalId;
}

/** The id of a decision that came without one: the same answer sent twice is one decision. */
export function decisionIdOf(parts: {
  readonly approvalId: string;
  readonly decision: string;
  readonly argumentsDigest?: string | undefined;
  readonly comment?: string | undefined;
}): DecisionId {
  const { approvalId, decision, argumentsDigest, comment } = parts;
  return derivedId('d', [approvalId, decision, argumentsDigest ?? null, comment ?? null]) as DecisionId;
}

/** What a request without an id of its own is known by: its caller's idempotency key on one route of one tenant. */
interface RequestParts {
  readonly tenant: string;
  readonly route: string;
  readonly idempotencyKey: string;
}

/** The id of a session whose request named none. */
export function sessionIdOf(parts: RequestParts): SessionId {
  return derivedId('s', [parts.tenant, parts.route, parts.idempotencyKey]) as SessionId;
}

/** The id of a message whose request named none. */
export function messageIdOf(parts: RequestParts): MessageId {
  return derivedId('m', [parts.tenant, parts.route, parts.idempotencyKey]) as MessageId;
}

function derivedId(prefix: string, parts: readonly (string | number | null)[]): string {
  return `${prefix}_${digestOf([`holdpoint.${prefix}.v1`, ...parts]).slice(0, ID_CHARACTERS)}`;
}
