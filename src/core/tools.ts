/** What a call does to the world. An undeclared effect counts as `write`. */
export type ToolEffect = 'read' | 'write';
export type ToolRisk = 'low' | 'medium' | 'high';

/**
 * What happens to a call, decided once, when the reply is assembled:
 * `run` at once · `review` by a human first · `deny`, `invalid`, `unknown_tool`, `skipped` are answered without running.
 */
export type CallVerdict = 'run' | 'review' | 'deny' | 'invalid' | 'unknown_tool' | 'skipped';

/** How a call ended, as its `tool.result` says. Only `success` is not an error for the model. */
export const TOOL_STATUSES = [
  'success',
  'error',
  'timeout',
  'denied',
  'invalid',
  'unknown_tool',
  'skipped',
  'rejected',
  'expired',
  'aborted',
  'unavailable',
  'outcome_unknown',
] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

/** The plan of one call, stored with its reply and handed to the workflow without any text of the model's. */
export interface CallPlan {
  readonly callId: string;
  readonly tool: string;
  readonly effect: ToolEffect;
  readonly verdict: CallVerdict;
  /** True only when the tool says it may overlap with others for these arguments. Default false. */
  readonly parallel?: true;
  /** Salted digest of the arguments, see `digests/arguments-digest`; absent when they are not canonical JSON. */
  readonly argumentsDigest?: string;
  readonly toolDigest?: string;
  readonly timeoutMs?: number;
  /** Set for calls that are reviewed. */
  readonly risk?: ToolRisk;
  readonly approvalId?: string;
  /** ISO time; read back from the approval on every retry. */
  readonly expiresAt?: string;
}

/** A tool as a model sees it. `parameters` is JSON Schema. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}
