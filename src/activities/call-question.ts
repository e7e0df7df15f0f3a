import type { Ask } from '../core/activity-contracts';
import type { ApprovalKind, ApprovalRecord, NewApproval } from '../core/approvals';
import type { NewEntry } from '../core/entries';
import { askKey } from '../core/entry-keys';
import { callPositionOf, type SessionKey } from '../core/ids';
import type { JsonObject, JsonValue } from '../core/json';
import type { Limits } from '../core/limits';
import { isToolRefused } from '../core/tool-refused';
import type { ToolRisk } from '../core/tools';
import { wellFormedText } from '../core/well-formed-text';
import type { CatalogTool } from '../definitions/catalog';
import { approvalIdOf } from '../digests/derived-ids';
import { digestOf } from '../digests/digest-of';
import type { ActivityDependencies } from './activity-dependencies';
import { capText } from './cap-text';
import type { PolicyDecision } from './decide-policy';
import { hideSensitive } from './hide-sensitive';
import { detailText, type ResultDetail } from './result-text';
import { type BoundedOutcome, runBounded } from './run-bounded';
import { type CallScope, toolContextOf } from './tool-context';

const MAX_PREVIEW_BYTES = 65_536;
const MAX_PRECONDITION_CHARACTERS = 200;

/** What an approver is shown and relies on, taken fresh. A failure is an answer for the model: nobody is asked. */
export type Inspection =
  | { readonly ok: true; readonly preview: string | undefined; readonly precondition: string | undefined }
  | { readonly ok: false; readonly code: 'tool_refused' | 'tool_failed' | 'tool_timeout'; readonly text: string };

/** Takes a call's precondition, then its preview, each within the tool's own time limit. Fails closed. */
export async function inspectCall(
  dependencies: Pick<ActivityDependencies, 'logger'>,
  tool: CatalogTool,
  scope: CallScope,
  stop?: AbortSignal,
): Promise<Inspection> {
  const precondition = await takePrecondition(dependencies, tool, scope, stop);
  if (!precondition.ok) {
    return precondition;
  }
  const { preview, timeoutMs } = tool.definition;
  if (preview === undefined) {
    return { ok: true, preview: undefined, precondition: precondition.value };
  }
  const { logger } = dependencies;
  const outcome = await runBounded(
    (signal) => preview(scope.args, toolContextOf(scope, { signal, logger })),
    timeoutMs,
    stop,
  );
  return outcome.status === 'returned' && typeof outcome.value === 'string'
    ? {
        ok: true,
        preview: capText(wellFormedText(outcome.value), MAX_PREVIEW_BYTES).text,
        precondition: precondition.value,
      }
    : failedInspection(outcome, 'preview-failed');
}

/** The digest of what an approver relies on, as it is now; undefined for a tool without one. */
export async function takePrecondition(
  { logger }: Pick<ActivityDependencies, 'logger'>,
  { definition }: CatalogTool,
  scope: CallScope,
  stop?: AbortSignal,
): Promise<{ readonly ok: true; readonly value: string | undefined } | Extract<Inspection, { ok: false }>> {
  const { precondition, timeoutMs } = definition;
  if (precondition === undefined) {
    return { ok: true, value: undefined };
  }
  const outcome = await runBounded(
    (signal) => precondition(scope.args, toolContextOf(scope, { signal, logger })),
    timeoutMs,
    stop,
  );
  if (outcome.status !== 'returned' || typeof outcome.value !== 'string') {
    return failedInspection(outcome, 'check-failed');
  }
  const value = wellFormedText(outcome.value);
  return { ok: true, value: value.length > MAX_PRECONDITION_CHARACTERS ? digestOf(value) : value };
}

function failedInspection(outcome: BoundedOutcome<unknown>, detail: ResultDetail): Extract<Inspection, { ok: false }> {
  if (outcome.status === 'threw' && isToolRefused(outcome.error)) {
    return { ok: false, code: 'tool_refused', text: wellFormedText(outcome.error.message) };
  }
  const code = outcome.status === 'timed_out' ? 'tool_timeout' : 'tool_failed';
  return { ok: false, code, text: detailText(detail) };
}

/** The call a question is about, as people are shown it. */
export interface QuestionSubject {
  readonly tool: string;
  readonly toolDigest: string;
  readonly risk: ToolRisk;
  readonly summary: string;
  /** Sensitive values are hidden. */
  readonly arguments: JsonValue;
}

/** What a question says. */
export interface QuestionParts {
  readonly kind: ApprovalKind;
  /** Number of this question for the call, from 1. */
  readonly ask: number;
  readonly key: SessionKey;
  readonly callId: string;
  readonly subject: QuestionSubject;
  readonly argumentsDigest: string;
  readonly policy: Pick<PolicyDecision, 'reason' | 'policyVersion'>;
  readonly preview: string | undefined;
  readonly precondition: string | undefined;
  readonly limits: Limits;
  /** Milliseconds since 1970 by the clock: when it is asked. */
  readonly nowMs: number;
}

/** A call of a tool this worker has. */
export function questionSubject({ definition, digest }: CatalogTool, args: JsonObject): QuestionSubject {
  return {
    tool: definition.name,
    toolDigest: digest,
    risk: definition.risk,
    summary: definition.summarize(args),
    arguments: hideSensitive(args, definition.sensitive),
  };
}

/** The record of a new question. Its id says which question it is, so a repeat makes the same one. */
export function newQuestion(parts: QuestionParts): NewApproval {
  const { kind, ask, key, callId, policy, preview, precondition, limits, nowMs } = parts;
  const position = callPositionOf(callId) ?? { turn: 0, round: 0 };
  return {
    approvalId: approvalIdOf({ ...key, callId, kind, ask }),
    kind,
    turn: position.turn,
    round: position.round,
    callId,
    ask,
    ...parts.subject,
    ...(preview === undefined ? {} : { preview }),
    argumentsDigest: parts.argumentsDigest,
    ...(precondition === undefined ? {} : { precondition }),
    policyVersion: policy.policyVersion,
    reason: wellFormedText(policy.reason),
    requestedAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + limits.approvalExpiryMs).toISOString(),
    approversNeeded: 1,
    requesterMayApprove: true,
    grantUseMs: limits.grantUseMs,
  };
}

/** The entry that announces a question. */
export function questionEntry(approval: NewApproval): NewEntry {
  const { approvalId, kind, ask, tool, summary, risk, argumentsDigest, toolDigest, expiresAt } = approval;
  return {
    key: askKey(approval.callId, ask),
    type: 'approval.requested',
    turn: approval.turn,
    round: approval.round,
    callId: approval.callId,
    data: { approvalId, kind, ask, tool, summary, risk, argumentsDigest, toolDigest, expiresAt },
  };
}

/** A question as the workflow is told about it: without any text. */
export function askOf(approval: ApprovalRecord | NewApproval): Ask {
  const { approvalId, kind, expiresAt, argumentsDigest } = approval;
  return { approvalId, kind, expiresAt, argumentsDigest };
}
