import type { ApprovalStatus, DecisionWord } from '../core/approvals';
import type {
  AgentList,
  ApprovalDetail,
  ApprovalList,
  ApprovalStreamEvents,
  CancelAccepted,
  CloseAccepted,
  DecisionAnswer,
  EntryPage,
  MessageAccepted,
  ReadinessAnswer,
  RepairAccepted,
  SessionCreated,
  SessionList,
  SessionStreamEvents,
  ToolList,
} from '../core/http-answers';
import { isId } from '../core/ids';
import { isRecord } from '../core/json';
import type { SessionExplanation } from '../core/session-explanation';
import type { MessageMode, SessionOptions, SessionStatus, SessionView } from '../core/sessions';
import {
  createHttpTransport,
  problemError,
  type TransportAnswer,
  type TransportOptions,
  type TransportRequest,
} from './http-transport';
import { type RunInput, type RunOutcome, runTurn } from './run-turn';
import { type StreamEvent, watchStream } from './watch-stream';

/** Ends a request, or a stream, early. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/**
 * The HTTP API of a gateway, for browsers and Node. Every operation may be repeated safely and is repeated when the
 * gateway gives no answer; each throws HoldpointError with the code of the gateway's problem, `gateway_unreachable` when
 * it can't be reached, and the signal's reason when that fires.
 */
export interface HoldpointClient {
  /**
   * Starts a session with its first message; with a session id, the same request again changes nothing. Throws
   * `invalid_start` for limits that are wider than the agent's.
   */
  startSession(input: StartSession, options?: CallOptions): Promise<SessionCreated>;
  sendMessage(sessionId: string, message: SendMessage, options?: CallOptions): Promise<MessageAccepted>;
  readSession(sessionId: string, options?: CallOptions): Promise<SessionView>;
  /** One page of sessions, newest first. */
  listSessions(page?: SessionsPage, options?: CallOptions): Promise<SessionList>;
  cancelTurn(sessionId: string, cancel?: CancelTurn, options?: CallOptions): Promise<CancelAccepted>;
  /** Ends a session once its queued messages have run; a later message opens it again. */
  closeSession(sessionId: string, options?: CallOptions): Promise<CloseAccepted>;
  /** Where a session is and what it waits for, in plain sentences, with the facts behind. */
  explainSession(sessionId: string, options?: CallOptions): Promise<SessionExplanation>;
  /** Has a blocked session take the store as it is and go on. Throws `not_blocked` for another one without `force`. */
  repairSession(sessionId: string, repair: RepairSession, options?: CallOptions): Promise<RepairAccepted>;
  /** One page of the log behind `after` (default 0), at most `limit` (default and most 500). */
  listEntries(sessionId: string, page?: EntriesPage, options?: CallOptions): Promise<EntryPage>;
  /** The log behind `after` and everything that follows, over every cut of the connection, until the reader leaves. */
  watchSession(
    sessionId: string,
    options?: CallOptions & { readonly after?: number },
  ): AsyncGenerator<StreamEvent<SessionStreamEvents>, never, undefined>;
  /** One page of questions, in the order they were asked. */
  listApprovals(page?: ApprovalsPage, options?: CallOptions): Promise<ApprovalList>;
  readApproval(approvalId: string, options?: CallOptions): Promise<ApprovalDetail>;
  /**
   * Answers a question. What became of the decision is in `outcome`, also when it was not used; null: it is stored and
   * counts when a worker is back.
   */
  decide(approvalId: string, decision: Decide, options?: CallOptions): Promise<DecisionAnswer>;
  /** Questions that are new or were answered, from now on. Read the list after `hello`, on every `hello`. */
  watchApprovals(options?: CallOptions): AsyncGenerator<StreamEvent<ApprovalStreamEvents>, never, undefined>;
  /** The newest version of each agent that workers have published. */
  listAgents(options?: CallOptions): Promise<AgentList>;
  /** The tools of these agents. */
  listTools(options?: CallOptions): Promise<ToolList>;
  /** Whether store, Temporal and a worker are there; asked once, since what is missing is an answer too. */
  readReadiness(options?: CallOptions): Promise<ReadinessAnswer>;
  /**
   * Runs a task: starts a session of one turn, waits until that turn has ended, and says how and with what text. The
   * session closes then and takes no more messages; for a conversation, start a session and watch it.
   */
  run(input: RunInput, options?: CallOptions): Promise<RunOutcome>;
}

export interface StartSession extends SessionOptions {
  readonly agent: string;
  readonly message: string;
  readonly sessionId?: string;
  /** False: the session is stored and shown, and somebody else starts its workflow. Default true. */
  readonly start?: boolean;
}

export interface SendMessage {
  readonly content: string;
  /** Default `followup`. */
  readonly mode?: MessageMode;
}

export interface CancelTurn {
  /** Default: the turn that is open as the request arrives. */
  readonly turn?: number;
  readonly reason?: string;
  /** Default false: queued messages are dropped. */
  readonly keepQueue?: boolean;
}

export interface SessionsPage {
  /** Default: every status. */
  readonly status?: SessionStatus;
  /** Default: every agent. */
  readonly agent?: string;
  /** `nextAfter` of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

export interface RepairSession {
  /** One word for the log and for Temporal's history, for example the number of a ticket. */
  readonly reason: string;
  /** True: also a session that is not blocked. Default false. */
  readonly force?: boolean;
}

export interface EntriesPage {
  readonly after?: number;
  readonly limit?: number;
}

export interface ApprovalsPage {
  /** Default: every status. */
  readonly status?: ApprovalStatus;
  /** `nextAfter` of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

export interface Decide {
  readonly decision: DecisionWord;
  /** Digest of the arguments that were looked at; needed for everything but `reject` and `abandon`. */
  readonly argumentsDigest?: string;
  readonly comment?: string;
  /** Names the decision, so that a repeat is the same one. Default: a new one for each call. */
  readonly decisionId?: string;
}

/** Makes a client of one gateway. It holds no connection between calls. */
export function createHoldpointClient(options: TransportOptions): HoldpointClient {
  const transport = createHttpTransport(options);
  const ask = async <Answer>(request: TransportRequest): Promise<Answer> => {
    const answer = await transport.send(request);
    if (answer.status >= 300) {
      throw problemError(answer);
    }
    return answer.body as Answer;
  };
  const get = <Answer>(path: string, query: TransportRequest['query'], { signal }: CallOptions = {}) =>
    ask<Answer>({ method: 'GET', path, query: { ...query }, signal });
  const post = <Answer>(path: string, body: object, { signal }: CallOptions = {}) =>
    ask<Answer>({ method: 'POST', path, body, signal });
  const client: HoldpointClient = {
    startSession: ({ message, ...start }, call) => post(SESSIONS, { ...start, message: { content: message } }, call),
    sendMessage: (sessionId, message, call) => post(`${sessionPath(sessionId)}/messages`, message, call),
    readSession: (sessionId, call) => get(sessionPath(sessionId), {}, call),
    listSessions: (page, call) => get(SESSIONS, { ...page }, call),
    cancelTurn: (sessionId, cancel, call) => post(`${sessionPath(sessionId)}/cancel`, cancel ?? {}, call),
    closeSession: (sessionId, call) => post(`${sessionPath(sessionId)}/close`, {}, call),
    explainSession: (sessionId, call) => get(`${sessionPath(sessionId)}/explain`, {}, call),
    repairSession: (sessionId, repair, call) => post(`${sessionPath(sessionId)}/repair`, repair, call),
    listEntries: (sessionId, page, call) => get(`${sessionPath(sessionId)}/entries`, { ...page }, call),
    watchSession: (sessionId, { after, signal } = {}) =>
      watchStream<SessionStreamEvents>(transport, {
        path: `${sessionPath(sessionId)}/stream`,
        ...(after === undefined ? {} : { lastEventId: String(after) }),
        signal,
        names: SESSION_EVENTS,
      }),
    listApprovals: (page, call) => get(APPROVALS, { ...page }, call),
    readApproval: (approvalId, call) => get(approvalPath(approvalId), {}, call),
    decide: async (approvalId, decision, { signal } = {}) => {
      // Named before the first try, so that a repeat is the same decision.
      const body = { decisionId: `d_${crypto.randomUUID()}`, ...decision };
      return decisionAnswer(
        await transport.send({ method: 'POST', path: `${approvalPath(approvalId)}/decisions`, body, signal }),
      );
    },
    watchApprovals: ({ signal } = {}) =>
      watchStream<ApprovalStreamEvents>(transport, { path: `${APPROVALS}/stream`, signal, names: APPROVAL_EVENTS }),
    listAgents: (call) => get('/v1/agents', {}, call),
    listTools: (call) => get('/v1/tools', {}, call),
    readReadiness: async ({ signal } = {}) => {
      const answer = await transport.send({ method: 'GET', path: '/readyz', signal, tries: 1 });
      if (isRecord(answer.body) && 'worker' in answer.body) {
        return answer.body as unknown as ReadinessAnswer;
      }
      throw problemError(answer);
    },
    run: (input, call) => runTurn(client, input, call?.signal),
  };
  return client;
}

const SESSIONS = '/v1/sessions';
const APPROVALS = '/v1/approvals';
const SESSION_EVENTS: readonly (keyof SessionStreamEvents)[] = ['hello', 'entry', 'chunk', 'status', 'heartbeat'];
const APPROVAL_EVENTS: readonly (keyof ApprovalStreamEvents)[] = ['hello', 'approval', 'heartbeat'];

function sessionPath(sessionId: string): string {
  return `${SESSIONS}/${idSegment(sessionId)}`;
}

function approvalPath(approvalId: string): string {
  return `${APPROVALS}/${idSegment(approvalId)}`;
}

/** What is no id names nothing, and must not become another path: `..` would, however it is encoded. */
function idSegment(id: string): string {
  return isId(id) ? id : '~';
}

/** A refused decision is answered with a problem that carries its outcome and the question. */
function decisionAnswer(answer: TransportAnswer): DecisionAnswer {
  if (isRecord(answer.body) && 'outcome' in answer.body && isRecord(answer.body['approval'])) {
    const { outcome, decisionId, approval } = answer.body as unknown as DecisionAnswer;
    return { outcome, decisionId, approval };
  }
  throw problemError(answer);
}
