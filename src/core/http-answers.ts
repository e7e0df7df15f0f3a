/** What the HTTP API answers with. Times are ISO 8601 in UTC. Changes are additive. */
import type { ApprovalRecord, DecisionOutcome } from './approvals';
import type { ErrorCode } from './errors';
import type { JsonObject } from './json';
import type { ChunkEvent, StepStatus } from './ports/feed';
import type { SessionStatus, SessionView } from './sessions';
import type { ToolEffect, ToolRisk } from './tools';

/** Answer to `POST /v1/sessions`. */
export interface SessionCreated {
  readonly sessionId: string;
}

/** Answer to `POST /v1/sessions/:id/messages`. */
export interface MessageAccepted {
  readonly messageId: string;
}

/** Answer to `POST /v1/sessions/:id/cancel`: the turn that was open when the request came, or null. */
export interface CancelAccepted {
  readonly sessionId: string;
  readonly turn: number | null;
}

/** Answer to `POST /v1/sessions/:id/close`: what the session was doing when the request came; it ends that first. */
export interface CloseAccepted {
  readonly sessionId: string;
  readonly status: SessionStatus;
}

/** Answer to `POST /v1/sessions/:id/repair`. */
export interface RepairAccepted {
  readonly sessionId: string;
  /** Why the session was blocked; null for one that was repaired by force. */
  readonly blockedCode: string | null;
}

/** A page of sessions, newest first; `nextAfter` asks for the next page, null when there is none. */
export interface SessionList {
  readonly sessions: readonly SessionView[];
  readonly nextAfter: string | null;
}

/** An agent as its workers published it last. */
export interface AgentView {
  readonly name: string;
  /** Names this version: another one has another digest. */
  readonly digest: string;
  /** `<api>:<model>`. */
  readonly model: string;
  readonly limits: Readonly<Record<string, number>>;
  /** Names of its tools. */
  readonly tools: readonly string[];
}

/** Answer to `GET /v1/agents`, by name. */
export interface AgentList {
  readonly agents: readonly AgentView[];
}

/** A tool as the newest version of some agent has it. */
export interface ToolView {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: JsonObject;
  readonly effect: ToolEffect;
  readonly risk: ToolRisk;
  readonly idempotent: boolean;
  readonly version: string;
  readonly timeoutMs: number;
  /** Names this definition; approvals are bound to it. */
  readonly digest: string;
  /** Names of the agents that have it. */
  readonly agents: readonly string[];
}

/** Answer to `GET /v1/tools`, by name. During a deploy one name may have two definitions, with a digest each. */
export interface ToolList {
  readonly tools: readonly ToolView[];
}

/** One entry of a session's log. */
export interface EntryView {
  readonly seq: number;
  readonly key: string;
  readonly type: string;
  /** Null for what belongs to no turn. */
  readonly turn: number | null;
  readonly round: number | null;
  readonly callId?: string;
  readonly data: JsonObject;
  readonly at: string;
  readonly digest: string;
}

/** A page of entries, ascending; `nextAfter` is the last seq in it, or null when there is none. */
export interface EntryPage {
  readonly entries: readonly EntryView[];
  readonly nextAfter: number | null;
}

/** A question in a list. */
export type ApprovalView = Pick<
  ApprovalRecord,
  | 'approvalId'
  | 'kind'
  | 'sessionId'
  | 'turn'
  | 'round'
  | 'callId'
  | 'tool'
  | 'summary'
  | 'arguments'
  | 'preview'
  | 'argumentsDigest'
  | 'risk'
  | 'reason'
  | 'requestedAt'
  | 'expiresAt'
  | 'status'
>;

/** A question with everything that is known about it: why it was asked, and each decision with its outcome. */
export type ApprovalDetail = ApprovalView &
  Pick<
    ApprovalRecord,
    | 'ask'
    | 'toolDigest'
    | 'precondition'
    | 'policyVersion'
    | 'approversNeeded'
    | 'requesterMayApprove'
    | 'useBy'
    | 'decisions'
  >;

/** A page of questions, in the order they were asked; `nextAfter` asks for the next page, null when there is none. */
export interface ApprovalList {
  readonly approvals: readonly ApprovalView[];
  readonly nextAfter: string | null;
}

/** What became of a decision. `outcome` is null while nobody has settled it (202). */
export interface DecisionAnswer {
  readonly outcome: DecisionOutcome | null;
  readonly decisionId: string;
  readonly approval: ApprovalDetail;
}

/** Answer to `GET /healthz`: the gateway answers, whatever else does not. */
export interface HealthAnswer {
  readonly status: 'ok';
}

/** Answer to `GET /readyz`: 200 when all three are `ok`, else 503. */
export interface ReadinessAnswer {
  readonly status: 'ok' | 'unavailable';
  readonly store: 'ok' | 'unavailable';
  readonly temporal: 'ok' | 'unavailable';
  /** `ok` when a worker polls the task queue; `unavailable` also when Temporal can't be asked about it. */
  readonly worker: 'ok' | 'unavailable';
}

/**
 * Server-sent events of `GET /v1/sessions/:id/stream`, by event name. Only `entry` has an id: its seq. Entries were read
 * from the store after commit, ascending, without gaps or doubles; everything else is transient and may be lost.
 */
export interface SessionStreamEvents {
  /** First on every connection. */
  readonly hello: StreamHello;
  readonly entry: EntryView;
  readonly chunk: ChunkView;
  /** What runs; null when nothing does. Said when it changes. */
  readonly status: StatusView | null;
  /** Every 15 s, so that both sides notice a dead connection. */
  readonly heartbeat: StreamHeartbeat;
}

/** Server-sent events of `GET /v1/approvals/stream`. Read the list after `hello`, then apply what comes. */
export interface ApprovalStreamEvents {
  readonly hello: StreamHeartbeat;
  /** A question that is new, or was answered: its state as the store holds it now. */
  readonly approval: ApprovalDetail;
  readonly heartbeat: StreamHeartbeat;
}

export interface StreamHello extends StreamHeartbeat {
  /** The last entry of the log as the connection was made; 0 while there is none. */
  readonly lastSeq: number;
}

export interface StreamHeartbeat {
  readonly serverTime: string;
}

/**
 * A fragment of a reply that is being written. A higher `attempt` voids what lower ones said, and the round's
 * `model.reply` entry replaces all of them. A gap in `index` means that fragments are missing.
 */
export type ChunkView = Omit<ChunkEvent, 'type'>;

export type StatusView = StepStatus;

/** Every refusal, as `application/problem+json` (RFC 9457). Compare `code`, never the texts. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
}
