/**
 * The public contract of the session workflow: its name, its signals, its query, and what they carry as plain JSON.
 * Any Temporal client in any language may use it. Changes are additive.
 */
import type { ApprovalKind } from '../core/approvals';
import type { MessageMode, SessionOptions, TurnOutcome } from '../core/sessions';
import type { ToolRisk } from '../core/tools';

/** Workflow type. The workflow id is `<tenant>/<session>`. */
export const AGENT_SESSION_WORKFLOW = 'agentSession';
/** Signal with a `MessagePayload`. */
export const MESSAGE_SIGNAL = 'message';
/** Signal with a `DecidePayload`. */
export const DECIDE_SIGNAL = 'decide';
/** Signal with a `CancelTurnPayload`. */
export const CANCEL_TURN_SIGNAL = 'cancelTurn';
/** Signal with a `ClosePayload`. */
export const CLOSE_SIGNAL = 'close';
/** Query that answers with an `AgentSessionStatus`; for people at a terminal, not for programs that poll. */
export const STATUS_QUERY = 'status';

/** What the workflow is started with; `tenant` and `sessionId` must be those of the workflow id. */
export interface AgentSessionInput extends SessionOptions {
  readonly v: 1;
  readonly tenant: string;
  readonly sessionId: string;
  readonly agent: string;
  /** A task needs one, here, in the store's inbox, or by a signal that comes with the start. */
  readonly message?: MessagePayload;
  /** For a task: puts what the agent said last into its result, and so into Temporal. Default false. */
  readonly returnText?: boolean;
}

/** What a task returns; a conversation returns nothing. */
export interface TaskResult {
  readonly v: 1;
  readonly sessionId: string;
  /** How its turn ended. Whatever it is, the workflow completes: only a task that could not be run fails. */
  readonly outcome: TurnOutcome;
  /** Why, for outcomes that have a code of their own. */
  readonly code?: string;
  /** The last entry of the session's log. */
  readonly lastSeq: number;
  /** With `returnText`: at most 64 KiB of UTF-8, what was cut ends with a marker; '' when the agent said nothing. */
  readonly text?: string;
}

/** The type of a task as a workflow that runs it as a child names it. */
export type AgentTask = (start: AgentSessionInput) => Promise<TaskResult>;

/** A message: by reference to the store's inbox (`ref` = `messageId`), or inline from a client without a gateway. */
export interface MessagePayload {
  readonly messageId: string;
  readonly ref?: string;
  /** Not blank, at most 16 KiB of UTF-8; stays in Temporal history until retention. */
  readonly content?: string;
  /** Default `followup`. */
  readonly mode?: MessageMode;
  readonly principal?: string;
}

/** A decision. With `ref` (= `decisionId`) it only wakes the session, which reads the stored decision. */
export interface DecidePayload {
  readonly approvalId: string;
  readonly decisionId?: string;
  /** Kind `call`: `approve`, `reject`; kind `outcome`: `applied`, `run_again`, `abandon`. */
  readonly decision: string;
  /** Required except for `reject` and `abandon`. */
  readonly argumentsDigest?: string;
  readonly ref?: string;
  readonly comment?: string;
  readonly principal?: string;
}

export interface CancelTurnPayload {
  /** A request that names another turn than the open one is dropped. Default: the open one. */
  readonly turn?: number;
  readonly reason?: string;
  readonly principal?: string;
  /** False drops the messages that wait for their turn. Default false. */
  readonly keepQueue?: boolean;
}

export interface ClosePayload {
  readonly reason?: string;
}

/** What the workflow is doing; no text of people or models. */
export interface AgentSessionStatus {
  readonly phase: 'opening' | 'idle' | 'turn' | 'closing' | 'closed' | 'blocked';
  /** Why it is blocked: an error code. */
  readonly blockedCode?: string;
  /** The open turn, or null. */
  readonly turn: number | null;
  readonly round: number | null;
  readonly openApprovals: readonly {
    readonly approvalId: string;
    readonly kind: ApprovalKind;
    /** Absent for questions about calls of turns that have ended. */
    readonly tool?: string;
    readonly risk?: ToolRisk;
    readonly argumentsDigest?: string;
    readonly expiresAt: string;
  }[];
  readonly queuedMessages: number;
  /** Signals that carried nothing usable. */
  readonly droppedSignals: number;
}
