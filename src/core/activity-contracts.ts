/**
 * What the workflow and its activities say to each other. These shapes are written into Temporal history, so they
 * hold references, digests and codes, never text (but for a task whose caller asked for it: `textOfTurn`), and each has a version `v`; changes are additive.
 * Tenant, session and run come from the activity's own workflow info, never from a payload.
 */
import type { ApprovalKind, ApprovalStatus, DecisionCandidate, DecisionOutcome } from './approvals';
import type { LogPosition } from './entries';
import type { Limits } from './limits';
import type { FinishReason, Usage } from './messages';
import type { MessageMode, SessionOptions, TurnOutcome } from './sessions';
import type { CallPlan, ToolStatus } from './tools';

/** A message the workflow knows of: its id, and its text only when a plain Temporal client sent it inline. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly mode: MessageMode;
  readonly content?: string;
  readonly principal?: string;
}

/** Why a local activity did nothing. The workflow waits and repeats after `store_unavailable`; the others block it. */
export interface StepRefused {
  readonly v: 1;
  readonly status: 'refused';
  readonly code:
    | 'store_unavailable'
    | 'fenced'
    | 'log_behind'
    | 'log_conflict'
    | 'log_format_newer'
    | 'session_erased'
    | 'unknown_session'
    /** The start asks for what this session or its agent does not allow. */
    | 'invalid_start';
}

/** What a start says of mode, limits and metadata comes along until the session was opened; then its row has it. */
export interface OpenSessionInput extends SessionOptions {
  readonly v: 1;
  readonly agent: string;
  readonly last?: LogPosition;
}

export interface SessionOpened {
  readonly v: 1;
  readonly status: 'opened';
  readonly nextTurn: number;
  /**
   * A turn another run left open. It is walked again from round 1, unless an operator had terminated or cancelled that
   * run: then it is `interrupted` and only has to be ended.
   */
  readonly openTurn?: { readonly turn: number; readonly messageId: string; readonly interrupted?: true };
  /** Messages in the store that no turn has taken yet, oldest first. */
  readonly inbox: readonly QueuedMessage[];
  /** There are more than these. */
  readonly more?: true;
  /** Approvals with stored decisions that nobody has taken, and open questions of ended turns. */
  readonly approvals: readonly {
    readonly approvalId: string;
    readonly kind: ApprovalKind;
    readonly expiresAt: string;
  }[];
  /** The agent's, narrowed to the session's own. */
  readonly limits: Limits;
  /** Present for a task; `ended` once its one turn is over. */
  readonly task?: { readonly ended?: EndedTask };
  readonly last?: LogPosition;
}

/** The one turn of a task, as the store holds its end. */
export interface EndedTask {
  readonly turn: number;
  /** The message that opened it. */
  readonly messageId: string;
  readonly outcome: TurnOutcome;
  readonly code?: string;
}

export interface CallModelInput {
  readonly v: 1;
  readonly turn: number;
  readonly round: number;
  /** Messages this round takes into the log before it asks; the first one of round 1 opens the turn. */
  readonly messages?: readonly QueuedMessage[];
  /** Calls of the round before that the workflow answers itself, without running them. */
  readonly answers?: readonly WorkflowAnswer[];
  /** Decided `outcome` questions of earlier turns whose answer the model has not read. */
  readonly inject?: readonly string[];
  /** The round that offers no tools, and the limit that led to it. */
  readonly final?: TurnOutcome;
  /** Active milliseconds the turn has left; an attempt that uses them up fails with `active_time_over`. */
  readonly limitMs: number;
  readonly last?: LogPosition;
}

/** A call that is answered without running, because a limit of its turn was reached. */
export interface WorkflowAnswer {
  readonly callId: string;
  readonly status: 'skipped';
}

/** The plan of a call as the workflow needs it. What definition it was made with is read from the log again. */
export type WorkflowCall = Omit<CallPlan, 'toolDigest'>;

export interface CallModelResult {
  readonly v: 1;
  readonly finish: FinishReason;
  readonly calls: readonly WorkflowCall[];
  readonly usage: Usage;
  readonly activeMs: number;
  /** Limits of the agent version this turn is pinned to; in round 1 only. */
  readonly limits?: Limits;
  /** True when the message that should have opened this turn was already taken by another one: there is no turn. */
  readonly known?: true;
  readonly last: LogPosition;
}

export interface ToolCallInput {
  readonly v: 1;
  readonly callId: string;
  readonly argumentsDigest: string;
  readonly approvalId?: string;
  readonly last?: LogPosition;
}

/** A question that has to be asked (again) before the call may go on. */
export interface Ask {
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  readonly expiresAt: string;
  readonly argumentsDigest: string;
}

export type ToolCallResult =
  | {
      readonly v: 1;
      readonly status: ToolStatus;
      readonly characters: number;
      readonly activeMs: number;
      readonly last: LogPosition;
    }
  | {
      readonly v: 1;
      readonly status: 'superseded';
      readonly ask: Ask;
      readonly activeMs: number;
      readonly last: LogPosition;
    };

export interface SettleApprovalInput {
  readonly v: 1;
  readonly approvalId: string;
  /** Candidates from plain signals; stored ones are read from the inbox. */
  readonly candidates: readonly DecisionCandidate[];
  /** ISO workflow time; with it the workflow says that `expiresAt` has passed. */
  readonly expiredAt?: string;
  readonly withdraw?: true;
  /** ISO workflow time of this step; counts as `decidedAt` for candidates from plain signals. */
  readonly now: string;
  readonly last?: LogPosition;
}

export interface ApprovalSettled {
  readonly v: 1;
  readonly status: 'settled';
  readonly outcome: DecisionOutcome;
  /** Stored status after this step; absent for an unknown approval. */
  readonly approval?: ApprovalStatus;
  /** The decision that stands, once there is one. */
  readonly decision?: string;
  /** True when the call has its result now, so it will not run. */
  readonly answered?: true;
  readonly last?: LogPosition;
}

export interface StoreMessagesInput {
  readonly v: 1;
  /** Messages with their texts. */
  readonly messages: readonly QueuedMessage[];
  readonly last?: LogPosition;
}

export interface MessagesStored {
  readonly v: 1;
  readonly status: 'stored';
  readonly last?: LogPosition;
}

export interface EndTurnInput {
  readonly v: 1;
  readonly turn: number;
  /** The message that opens the turn, while no reply has confirmed that it is in the log; it is written first then. */
  readonly opening?: QueuedMessage;
  readonly outcome: TurnOutcome;
  readonly code?: string;
  readonly rounds: number;
  readonly calls: number;
  readonly activeMs: number;
  readonly answers?: readonly WorkflowAnswer[];
  /** Queued messages a cancel drops. */
  readonly discard?: readonly QueuedMessage[];
  readonly last?: LogPosition;
}

export type TurnEnded =
  | {
      readonly v: 1;
      readonly status: 'ended';
      readonly outcome: TurnOutcome;
      readonly code?: string;
      readonly last: LogPosition;
    }
  | {
      readonly v: 1;
      readonly status: 'unsettled';
      readonly unsettled: readonly { readonly callId: string; readonly leaseUntil: string }[];
      readonly last?: LogPosition;
    };

export interface SettleCallInput {
  readonly v: 1;
  readonly callId: string;
  readonly last?: LogPosition;
}

/** The call has a result now; `ask` when a human has to say what became of it. */
export interface CallSettled {
  readonly v: 1;
  readonly status: ToolStatus;
  readonly characters: number;
  readonly ask?: Ask;
  readonly last: LogPosition;
}

export interface CloseSessionInput {
  readonly v: 1;
  readonly reason: string;
  /** Asks for what the agent said last in this turn: a task whose caller wants the text in Temporal. */
  readonly textOfTurn?: number;
  readonly last?: LogPosition;
}

export interface SessionClosed {
  readonly v: 1;
  readonly status: 'closed';
  /** At most 64 KiB of UTF-8; '' when the agent said nothing. Only where `textOfTurn` asked for it. */
  readonly text?: string;
  readonly last?: LogPosition;
}

/** Short, idempotent, without user code: run as local activities. They never throw for an outage, they return it. */
export interface SessionActivities {
  openSession(input: OpenSessionInput): Promise<SessionOpened | StepRefused>;
  settleApproval(input: SettleApprovalInput): Promise<ApprovalSettled | StepRefused>;
  storeMessages(input: StoreMessagesInput): Promise<MessagesStored | StepRefused>;
  endTurn(input: EndTurnInput): Promise<TurnEnded | StepRefused>;
  closeSession(input: CloseSessionInput): Promise<SessionClosed | StepRefused>;
}

/** One attempt of one effect each. Failures are `ApplicationFailure`s whose type is an error code. */
export interface EffectActivities {
  callModel(input: CallModelInput): Promise<CallModelResult>;
  settleCall(input: SettleCallInput): Promise<CallSettled>;
}

/** Activity type of a tool call, so that the Temporal UI shows which tool ran. */
export function toolActivityType(tool: string): string {
  return `tool.${tool}`;
}

/** The tool an activity type names, or undefined. */
export function toolOfActivityType(activityType: string): string | undefined {
  return activityType.startsWith('tool.') ? activityType.slice('tool.'.length) : undefined;
}
