import type { DecisionOutcome, DecisionWord, Provenance } from './approvals';
import type { JsonValue } from './json';
import type { Limits } from './limits';
import type { Block, FinishReason, Usage } from './messages';
import type { MessageMode, TurnOutcome } from './sessions';
import type { CallPlan, ToolEffect, ToolRisk, ToolSchema, ToolStatus } from './tools';

/** Version of the log's format; a store with a higher one is refused. */
export const LOG_FORMAT_VERSION = 1;

/** Data of each entry type. The map is open: a package may add a type by declaration merging. */
export interface EntryDataMap {
  readonly 'session.started': {
    readonly agent: string;
    readonly origin: 'gateway' | 'temporal';
    readonly formatVersion: number;
    readonly principal?: string;
    /** True for a session of one turn. */
    readonly task?: true;
    /** What the session narrows its agent's limits to. */
    readonly limits?: Partial<Limits>;
  };
  readonly 'turn.started': { readonly messageId: string };
  readonly 'user.message': {
    readonly messageId: string;
    readonly mode: MessageMode;
    readonly content: string;
    readonly principal?: string;
    readonly provenance: Provenance;
    /** True for a queued message that a cancel dropped; it opened no turn. */
    readonly discarded?: true;
  };
  /** What a request says besides the messages; written when it differs from the one before. */
  readonly 'request.header': {
    readonly agentDigest: string;
    readonly model: string;
    readonly system: string;
    readonly tools: readonly ToolSchema[];
    readonly final?: true;
  };
  readonly 'model.reply': {
    readonly finish: FinishReason;
    readonly blocks: readonly Block[];
    readonly calls: readonly CallPlan[];
    readonly model: string;
    readonly usage: Usage;
    /** Highest sequence the request saw; with it any request can be rebuilt byte for byte. */
    readonly readThrough: number;
    readonly activeMs: number;
    readonly final?: true;
  };
  /** What was streamed when the turn was cancelled in the middle of a reply. */
  readonly 'model.partial': { readonly blocks: readonly Block[]; readonly attempt: number };
  readonly 'model.retry': {
    readonly attempt: number;
    readonly code: string;
    readonly detail: string;
    readonly activeMs: number;
  };
  readonly 'policy.decided': {
    readonly tool: string;
    readonly verdict: string;
    readonly reason: string;
    readonly policyVersion: string;
  };
  readonly 'approval.requested': {
    readonly approvalId: string;
    readonly kind: 'call' | 'outcome';
    readonly ask: number;
    readonly tool: string;
    readonly summary: string;
    readonly risk: ToolRisk;
    readonly argumentsDigest: string;
    readonly toolDigest: string;
    readonly expiresAt: string;
    /** The question this one replaces, and why it was asked again: an error code or a field name. */
    readonly supersedes?: string;
    readonly because?: string;
  };
  readonly 'approval.decided': {
    readonly approvalId: string;
    readonly decisionId: string;
    readonly decision: DecisionWord | 'expire' | 'withdraw';
    readonly outcome: DecisionOutcome;
    readonly principal: string;
    readonly provenance: Provenance;
    readonly comment?: string;
    readonly argumentsDigest?: string;
  };
  readonly 'approval.refused': {
    readonly approvalId: string;
    readonly decisionId: string;
    readonly decision: string;
    readonly outcome: DecisionOutcome;
    readonly principal: string;
    readonly provenance: Provenance;
  };
  readonly 'tool.started': {
    readonly tool: string;
    readonly try: number;
    readonly attemptToken: string;
    readonly leaseUntil: string;
    readonly idempotencyKey: string;
    readonly approvalId?: string;
  };
  /** A try that wrote `tool.started` but knows that its body never ran. */
  readonly 'tool.not_run': { readonly try: number; readonly code: string };
  readonly 'tool.result': ToolResultData;
  /** A true result that came after the call had been answered otherwise. It changes no state. */
  readonly 'tool.late_result': { readonly try: number; readonly status: ToolStatus; readonly text: string };
  readonly 'context.injected': { readonly source: string; readonly content: string };
  readonly 'summary.created': { readonly through: number; readonly content: string };
  readonly 'turn.ended': {
    readonly outcome: TurnOutcome;
    readonly code?: string;
    readonly rounds: number;
    readonly calls: number;
    readonly activeMs: number;
    readonly usage: Usage;
  };
  readonly 'session.closed': { readonly reason: string };
}

/** How a call ended. `text` is the view the model reads, capped; the full output is in the blob. */
export interface ToolResultData {
  readonly tool: string;
  readonly status: ToolStatus;
  /** Error code for every status but `success`. */
  readonly code?: string;
  readonly text: string;
  /** What an error of the tool's own said, redacted; for operators, the model never reads it. */
  readonly detail?: string;
  readonly effect?: ToolEffect;
  readonly sizeBytes?: number;
  readonly blobId?: string;
  readonly truncated?: true;
  readonly try?: number;
  /** Decision that led here, for calls a human looked at. */
  readonly approvalId?: string;
  /** Structured output of the tool where it returned more than text. */
  readonly output?: JsonValue;
}

export type EntryType = keyof EntryDataMap;

interface EntryPlace {
  readonly turn?: number;
  readonly round?: number;
  readonly callId?: string;
}

/** An entry to be written. Its key comes from its position, so a retry writes the same key. */
export type NewEntry = {
  readonly [Type in EntryType]: {
    readonly key: string;
    readonly type: Type;
    readonly data: EntryDataMap[Type];
  } & EntryPlace;
}[EntryType];

/** An entry as the store holds it. Erased entries are never handed out. */
export type Entry = NewEntry & {
  readonly seq: number;
  /** Sequence of the first entry of the batch it was written with. */
  readonly batch: number;
  readonly at: string;
  readonly digest: string;
};

export type EntryOf<Type extends EntryType> = Extract<Entry, { readonly type: Type }>;

/** A place in the log: sequence and digest. Two systems that agree on it agree on everything before it. */
export type LogPosition = readonly [seq: number, digest: string];

/** The position further on, of two that may be absent. */
export function laterPosition(left: LogPosition | undefined, right: LogPosition | undefined): LogPosition | undefined {
  if (left === undefined || right === undefined) {
    return left ?? right;
  }
  return right[0] > left[0] ? right : left;
}

/** Narrows an entry to one type. */
export function isEntry<Type extends EntryType>(entry: Entry | undefined, type: Type): entry is EntryOf<Type> {
  return entry?.type === type;
}
