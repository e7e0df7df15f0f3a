import { type Insertable, sql } from 'kysely';
import type { SessionKey } from '../../core/ids';
import type { InboxKind, NewDecision } from '../../core/ports/gateway-store';
import type { InboxMessage } from '../../core/ports/worker-store';
import { digestOf } from '../../digests/digest-of';
import { jsonText } from './json-text';
import { requireUsable, updateSession } from './lock-session';
import { findSession } from './read-entries';
import type { Scope, StoreDatabase } from './store-database';
import type { InboxRow, InboxTable, SessionRow } from './tables';

/** A message as the inbox keeps it; its id is the row's. */
export type MessageText = Omit<InboxMessage, 'messageId'>;

/** A decision as the inbox keeps it; its ids are the row's. */
export type DecisionText = Omit<NewDecision, 'tenant' | 'approvalId' | 'decisionId'>;

/** What came in, and where it belongs. */
export type Incoming = {
  readonly id: string;
  /** What makes two of the same id the same; the time of arrival is no part of it. */
  readonly identity: unknown;
  readonly at: string;
  /** True when the session's workflow knows of it, and nobody has to signal it. */
  readonly isDelivered?: true;
} & (
  | { readonly kind: 'message'; readonly body: MessageText }
  | { readonly kind: 'decision'; readonly approvalId: string; readonly body: DecisionText }
);

/** The message of an inbox row. */
export function inboxMessageOf(row: Pick<InboxRow, 'id' | 'body'>): InboxMessage {
  return { messageId: row.id, ...(JSON.parse(row.body) as MessageText) };
}

/** See `WorkerStore.readInboxMessage`. */
export function readInboxMessage(
  database: StoreDatabase,
  key: SessionKey,
  messageId: string,
): Promise<InboxMessage | undefined> {
  return database.read(async (scope) => {
    requireUsable(await findSession(scope, key), key);
    const row = await findInbox(scope, key, 'message', messageId);
    return row && inboxMessageOf(row);
  });
}

/** Messages no turn has taken yet, of every session; the caller narrows it. */
export function untakenMessages({ tx }: Scope) {
  // A literal: SQLite uses the small index of these rows only for a condition it can read.
  return tx.selectFrom('inbox').where('kind', '=', sql.lit('message')).where('taken_seq', 'is', null);
}

/** Those of them that start a turn or join the running one. An `inject` waits for whichever round comes next. */
export function wakingMessages(scope: Scope) {
  return untakenMessages(scope).where('mode', '<>', 'inject');
}

/** Decisions nobody has settled yet, of every session; the caller narrows it. */
export function unsettledDecisions({ tx }: Scope) {
  return tx.selectFrom('inbox').where('kind', '=', sql.lit('decision')).where('settled_ms', 'is', null);
}

/** What came in under an id before. */
export async function findInbox(
  { tx }: Scope,
  { tenant, sessionId }: SessionKey,
  kind: InboxKind,
  id: string,
): Promise<InboxRow | undefined> {
  return tx
    .selectFrom('inbox')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Puts something behind everything that came in for the session before, and returns the session's row as it is then. The
 * caller holds its lock.
 */
export async function putInbox(scope: Scope, row: SessionRow, incoming: Incoming): Promise<SessionRow> {
  const position = row.last_inbox + 1;
  const inserted: Omit<Insertable<InboxTable>, 'stored_ms' | 'delivered_ms'> = {
    tenant: row.tenant,
    session: row.session,
    kind: incoming.kind,
    id: incoming.id,
    position,
    mode: incoming.kind === 'message' ? incoming.body.mode : null,
    approval_id: incoming.kind === 'decision' ? incoming.approvalId : null,
    body: jsonText(incoming.body),
    body_digest: digestOf(incoming.identity),
    at: incoming.at,
    settled_ms: null,
    outcome: null,
    taken_seq: null,
  };
  await scope.tx
    .insertInto('inbox')
    .values({ ...inserted, stored_ms: scope.nowMs, delivered_ms: incoming.isDelivered === true ? scope.nowMs : null })
    .execute();
  return updateSession(scope, row, { last_inbox: position, ...(incoming.kind === 'message' ? { stopped: 0 } : {}) });
}

/** See `GatewayStore.markDelivered`. */
export function markDelivered(database: StoreDatabase, key: SessionKey, kind: InboxKind, id: string): Promise<void> {
  return database.write(async ({ tx, nowMs }) => {
    await tx
      .updateTable('inbox')
      .set({ delivered_ms: nowMs })
      .where('tenant', '=', key.tenant)
      .where('session', '=', key.sessionId)
      .where('kind', '=', kind)
      .where('id', '=', id)
      .where('delivered_ms', 'is', null)
      .execute();
  });
}
