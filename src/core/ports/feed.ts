import type { Chunk } from '../chunks';
import type { SessionKey } from '../ids';

/**
 * What goes on in a session between two looks at the store: hints that something was committed, fragments of a reply
 * that is being written, and what runs at the moment. It carries no state that matters: every event may be lost, and
 * whoever needs a fact reads the store.
 */
export type FeedEvent = SessionKey & (CommittedEvent | ChunkEvent | StepEvent);

/**
 * Something of the session was committed: its log, a question, or both. Look at the store. A feed that has lost events
 * says so to everybody; who listens to a whole tenant then gets an empty session id, which names no session.
 */
export interface CommittedEvent {
  readonly type: 'committed';
}

/** A fragment of the reply that one attempt of a model call streams. */
export interface ChunkEvent {
  readonly type: 'chunk';
  readonly turn: number;
  readonly round: number;
  /** Temporal's attempt, from 1. A higher one starts the reply anew: what lower ones said is void. */
  readonly attempt: number;
  /** Place among the fragments of its attempt, from 0 without gaps. A gap means that fragments were lost on the way. */
  readonly index: number;
  readonly chunk: FeedChunk;
}

/** The fragments people read. What goes back to a provider and how much was used are no concern of the feed. */
export type FeedChunk = Extract<Chunk, { readonly type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>;

/** A step began or ended: a model call or a tool call. Each step that began also ends, on every path. */
export interface StepEvent {
  readonly type: 'step';
  /** Names the step among those of its session: `t1.r2` for a model call, the call id for a tool call. */
  readonly step: string;
  /** Undefined: the step is over. Said again every few seconds while it runs. */
  readonly status: StepStatus | undefined;
}

/** What runs, in words for people. */
export interface StepStatus {
  readonly turn: number;
  readonly round: number;
  readonly maxRounds: number;
  /** Null while the model is asked. */
  readonly tool: string | null;
  /** One line such as `Asking the model` or `Running write_file`; no arguments. */
  readonly text: string;
}

/** The side that says what goes on. `publish` never throws and never waits; under load it drops events. */
export interface FeedPublisher {
  publish(event: FeedEvent): void;
}

/** The side that listens. */
export interface FeedSource {
  /**
   * Calls `listener` with the events of one session, or of all sessions of a tenant, in the order they were published,
   * until the returned function is called. What is in the air comes first, before this returns: the fragments of the
   * attempt that is under way as far as they were kept, and the steps that run. A listener that throws loses its event
   * and disturbs nobody else.
   */
  subscribe(scope: FeedScope, listener: (event: FeedEvent) => void): () => void;
}

export interface FeedScope {
  readonly tenant: string;
  /** Undefined: every session of the tenant; then nothing that is in the air comes first. */
  readonly sessionId?: string;
}
