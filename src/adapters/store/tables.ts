import type { Selectable } from 'kysely';
import type { DecisionOutcome } from '../../core/approvals';
import type { MessageMode, SessionMode } from '../../core/sessions';

/**
 * The tables as both databases hold them. Only strings, whole numbers, bytes and null: flags are 0 or 1, times of the
 * store's own clock are milliseconds since 1970 (`_ms`), times people see are ISO text (`_at`). Text written by a user,
 * a model or a tool lies inside JSON text (`data`, `body`, `definition`), where NUL and quotes are escaped.
 * The tenant comes first in every primary key and index.
 */
export interface Tables {
  readonly sessions: SessionsTable;
  readonly entries: EntriesTable;
  readonly approvals: ApprovalsTable;
  readonly decisions: DecisionsTable;
  readonly inbox: InboxTable;
  readonly outbox: OutboxTable;
  readonly blobs: BlobsTable;
  readonly agent_versions: AgentVersionsTable;
  readonly leases: LeasesTable;
}

/** The row that is locked by every writer of a session. What it repeats from the log changes in the same transaction. */
export interface SessionsTable {
  tenant: string;
  session: string;
  agent: string;
  origin: 'gateway' | 'temporal';
  state: 'active' | 'erasing' | 'erased';
  log_format: number;
  /** The Temporal run that may write; '' when none has claimed it. */
  run_id: string;
  blocked_code: string | null;
  /** An operator terminated or cancelled the workflow: it waits for its next message. */
  stopped: number;
  closed: number;
  /** How often the session was opened. */
  opening: number;
  last_seq: number;
  last_digest: string | null;
  last_turn: number;
  open_turn: number | null;
  round: number | null;
  /** Highest turn that ended; 0 when none did. */
  ended_turn: number;
  ended_outcome: string | null;
  ended_code: string | null;
  /** Usage of all replies, as JSON. */
  usage: string;
  last_inbox: number;
  /** Digest of agent and first message as a client sent them; null for a session no gateway created. */
  start_digest: string | null;
  digest_salt: Buffer;
  mode: SessionMode;
  /** What the session narrows its agent's limits to, as JSON; null for nothing. */
  limits: string | null;
  /** What a client keeps with it, as JSON; null for nothing. */
  metadata: string | null;
  /** 1 while somebody outside is to start its workflow: nobody here does. */
  announced: number;
  created_at: string;
  changed_ms: number;
}

export interface EntriesTable {
  tenant: string;
  session: string;
  seq: number;
  key: string;
  batch: number;
  type: string;
  turn: number | null;
  round: number | null;
  call_id: string | null;
  /** Null when erased, like the salt; `data_digest` stays. */
  data: string | null;
  salt: Buffer | null;
  data_digest: string;
  digest: string;
  previous_digest: string | null;
  at: string;
}

export interface ApprovalsTable {
  tenant: string;
  approval_id: string;
  session: string;
  turn: number;
  call_id: string;
  kind: 'call' | 'outcome';
  status: string;
  arguments_digest: string;
  requested_at: string;
  /** Sequence of the entry that says it was asked: questions of one round stand in the order of their calls. */
  asked_seq: number;
  expires_at: string;
  grant_use_ms: number;
  use_by_ms: number | null;
  /** The call that began under this approval. */
  used_by: string | null;
  /** Decisions that were not taken, counted also where they are not kept. */
  refused_count: number;
  /** Everything else of the question, as JSON; it never changes. */
  body: string;
}

export interface DecisionsTable {
  tenant: string;
  approval_id: string;
  decision_id: string;
  session: string;
  /** Number of this decision for the approval, from 1. */
  position: number;
  outcome: DecisionOutcome;
  body: string;
  at: string;
}

/** Messages and decisions that came in. Rows stay after they were taken. */
export interface InboxTable {
  tenant: string;
  session: string;
  kind: 'message' | 'decision';
  id: string;
  /** Order of arrival within the session, from 1. */
  position: number;
  /** How a message is to be taken; null for decisions. */
  mode: MessageMode | null;
  approval_id: string | null;
  body: string;
  body_digest: string;
  at: string;
  stored_ms: number;
  delivered_ms: number | null;
  settled_ms: number | null;
  outcome: DecisionOutcome | null;
  taken_seq: number | null;
}

/** Entries that somebody outside is to be told about. */
export interface OutboxTable {
  tenant: string;
  session: string;
  seq: number;
  type: string;
  stored_ms: number;
}

export interface BlobsTable {
  tenant: string;
  session: string;
  blob_id: string;
  bytes: Buffer;
}

export interface AgentVersionsTable {
  tenant: string;
  name: string;
  digest: string;
  definition: string;
  published_ms: number;
}

/** Who does a job that only one process may do. It belongs to no tenant. */
export interface LeasesTable {
  name: string;
  holder: string;
  until_ms: number;
}

export type SessionRow = Selectable<SessionsTable>;
export type EntryRow = Selectable<EntriesTable>;
export type ApprovalRow = Selectable<ApprovalsTable>;
export type DecisionRow = Selectable<DecisionsTable>;
export type InboxRow = Selectable<InboxTable>;
