/**
 * The state of a session's workflow. It is plain JSON of a few kilobytes, since continue-as-new carries it whole; it
 * holds references, counters and digests, never a text, except messages a plain Temporal client put into a signal, and at
 * the very end what a task was asked to return.
 *
 * Phases:
 *   opening  -> idle               openSession told us where the log stands
 *   idle     -> turn               a queued message opens one
 *   turn     -> idle               endTurn wrote turn.ended
 *   idle     -> closing            asked to close, or idle for too long
 *   closing  -> closed | opening   a message that came meanwhile reopens the session
 *   any      -> blocked            the log and we disagree; messages queue until somebody repairs the session
 *   any      -> closed             with `failedCode`: the start asks for what can't be, and the run fails
 *
 * A task goes opening -> idle -> turn -> idle -> closing -> closed, once: see `task-session`.
 *
 * Steps of a turn:
 *   model  -> calls | ending       a reply is in the log
 *   calls  -> model | ending       every call of the round has its result
 *   any    -> ending               cancel, a limit, a failed model call
 */
import type { EndedTask, QueuedMessage, WorkflowCall } from '../core/activity-contracts';
import type { ApprovalKind, ApprovalStatus, DecisionCandidate } from '../core/approvals';
import type { LogPosition } from '../core/entries';
import { DEFAULT_LIMITS, type Limits } from '../core/limits';
import type { SessionOptions, TurnOutcome } from '../core/sessions';
import type { ToolRisk } from '../core/tools';
import type { CancelSignal, SessionStart } from './read-signal';

export interface SessionState {
  readonly v: 1;
  readonly agent: string;
  /** What the start says of mode, limits and metadata; gone once the session was opened, since the store has it then. */
  readonly options?: SessionOptions;
  /** Id of the message in the start; gone likewise. */
  readonly startedWith?: string;
  /** Present for a session of one turn. */
  readonly task?: TaskState;
  /** The run fails with this error code. */
  readonly failedCode?: string;
  readonly phase: 'opening' | 'idle' | 'turn' | 'closing' | 'closed' | 'blocked';
  readonly blockedCode?: string;
  readonly nextTurn: number;
  readonly limits: Limits;
  readonly queue: readonly QueuedMessage[];
  /** The store's inbox may hold messages that the queue had no room for. */
  readonly moreStored?: true;
  /** The last message ids, oldest first. The store's unique key is the real guard; this saves it the work. */
  readonly seenMessages: readonly string[];
  readonly turn?: TurnState;
  /** Open `outcome` questions of turns that have ended. */
  readonly questions: readonly Question[];
  /** Answered `outcome` questions that the model has not been told about. */
  readonly inject: readonly string[];
  /** What waits to be settled, by approval. */
  readonly decisions: readonly PendingDecisions[];
  /** A decision in the store was not looked at: its question was not known here, and there was no room to note it. */
  readonly missedDecision?: true;
  /** Approvals settled before the reply or result that brings their question was seen here. */
  readonly settledEarly: readonly SettledApproval[];
  readonly closeReason?: string;
  /** A cancel that came before the session was open. */
  readonly cancelOnOpen?: CancelSignal;
  /** Keys of commands under way; see `commandKey`. */
  readonly inFlight: readonly string[];
  readonly last?: LogPosition;
  /** Workflow time at which the session became idle. */
  readonly idleSinceMs: number;
  /** Set after an outage: no command starts before this workflow time. */
  readonly pausedUntilMs?: number;
  readonly pauses: number;
  /** True once this run has handled a message, a decision or a turn. */
  readonly hasWorked: boolean;
  readonly droppedSignals: number;
}

export interface TaskState {
  readonly returnText?: true;
  /** The one turn, once it is over. */
  readonly ended?: Omit<EndedTask, 'messageId'>;
  /** What the agent said last; read as the session closes. */
  readonly text?: string;
}

export interface TurnState {
  readonly number: number;
  readonly round: number;
  readonly step: 'model' | 'calls' | 'ending';
  /** Held until a reply confirms that the log has it. */
  readonly opening?: QueuedMessage;
  /** Messages handed to the model call under way, or to the next one. */
  readonly messages: readonly QueuedMessage[];
  /** Limit that led to the round without tools. */
  readonly final?: TurnOutcome;
  readonly calls: readonly CallState[];
  readonly callCount: number;
  readonly resultCharacters: number;
  readonly activeMs: number;
  /** Counts decisions, so that writes run in the order they were decided. */
  readonly decided: number;
  readonly ending?: {
    readonly outcome: TurnOutcome;
    readonly code?: string;
    /** Messages that a cancel drops. */
    readonly discard?: readonly QueuedMessage[];
  };
  /** Started calls without a result that endTurn reported. */
  readonly unsettled: readonly string[];
}

/**
 * One call of the current round.
 *   held -> ready | answered    by a settled approval
 *   ready -> running -> answered | held (asked again)
 *   running -> lost -> answered  the activity failed; settleCall finds out what happened
 */
export interface CallState {
  readonly callId: string;
  readonly tool: string;
  readonly step: 'held' | 'ready' | 'running' | 'lost' | 'answered';
  readonly isDirect: boolean;
  readonly parallel: boolean;
  readonly argumentsDigest: string;
  readonly timeoutMs: number;
  readonly risk?: ToolRisk;
  /** Place in the order of what may run: ordinals first, then the order of decisions. */
  readonly order: number;
  readonly approvalId?: string;
  readonly kind?: ApprovalKind;
  readonly expiresAtMs?: number;
  /** Answered by the workflow itself: handed over with the next model call or the end of the turn. */
  readonly skipped?: true;
}

export interface Question {
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  readonly expiresAtMs: number;
}

export interface PendingDecisions {
  readonly approvalId: string;
  readonly candidates: readonly DecisionCandidate[];
  /** How many of the candidates the settlement under way has; they go when it succeeds. */
  readonly sent: number;
  /** True while the store may hold a decision we have not looked at. */
  readonly wake: boolean;
}

export interface SettledApproval {
  readonly approvalId: string;
  readonly approval: ApprovalStatus;
  readonly answered: boolean;
}

/** The state a session starts with. */
export function initialState(start: SessionStart, nowMs: number): SessionState {
  return {
    v: 1,
    agent: start.agent,
    ...(start.options === undefined ? {} : { options: start.options }),
    ...(start.message === undefined ? {} : { startedWith: start.message.messageId }),
    ...(start.options?.mode === 'task' ? { task: start.returnText === true ? { returnText: true } : {} } : {}),
    phase: 'opening',
    nextTurn: 1,
    limits: DEFAULT_LIMITS,
    queue: start.message === undefined ? [] : [start.message],
    seenMessages: start.message === undefined ? [] : [start.message.messageId],
    questions: [],
    inject: [],
    decisions: [],
    settledEarly: [],
    inFlight: [],
    idleSinceMs: nowMs,
    pauses: 0,
    hasWorked: false,
    droppedSignals: 0,
  };
}

/** The turn a message opens. */
export function newTurn(number: number, opening: QueuedMessage): TurnState {
  return {
    number,
    round: 1,
    step: 'model',
    opening,
    messages: [opening],
    calls: [],
    callCount: 0,
    resultCharacters: 0,
    activeMs: 0,
    decided: 0,
    unsettled: [],
  };
}

/** The calls of a reply as the workflow follows them; calls the reply answered itself are done already. */
export function callsOf(plans: readonly WorkflowCall[]): CallState[] {
  return plans.map((plan, index) => ({
    callId: plan.callId,
    tool: plan.tool,
    step: plan.verdict === 'run' ? 'ready' : plan.verdict === 'review' ? 'held' : 'answered',
    isDirect: plan.verdict === 'run',
    parallel: plan.parallel === true,
    argumentsDigest: plan.argumentsDigest ?? '',
    timeoutMs: plan.timeoutMs ?? 0,
    order: index,
    ...(plan.risk === undefined ? {} : { risk: plan.risk }),
    ...(plan.approvalId === undefined ? {} : { approvalId: plan.approvalId, kind: 'call' as const }),
    ...(plan.expiresAt === undefined ? {} : { expiresAtMs: Date.parse(plan.expiresAt) }),
  }));
}
