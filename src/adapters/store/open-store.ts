import { sql } from 'kysely';
import type { SessionStore } from '../../core/ports/session-store';
import { listAgents, publishAgents } from './agent-versions';
import { append } from './append';
import { appendLateResult } from './append-late-result';
import { beginTry } from './begin-try';
import { claimRun } from './claim-run';
import { closeSession } from './close-session';
import { createSession, putMessage } from './create-session';
import { endTurn } from './end-turn';
import { markDelivered, readInboxMessage } from './inbox-row';
import { listUndelivered, listUnfinished } from './list-unfinished';
import { markStopped, setBlocked } from './mark-session';
import { openSession } from './open-session';
import { postgresDialect } from './postgres-dialect';
import { putDecision, readDecisionOutcome } from './put-decision';
import { listApprovalStatuses, listApprovals, readApproval } from './read-approvals';
import { readBlob } from './read-blob';
import { readDigestSalt } from './read-digest-salt';
import { listEntries, readEntries, readEntriesOf, readEntry } from './read-entries';
import { readSessionFacts } from './read-session-facts';
import { checkSchemaVersion, migrateDatabase } from './schema-version';
import { listSessions, readSession } from './session-view';
import { settleApproval } from './settle-approval';
import { memoryDialect, sqliteDialect } from './sqlite-dialect';
import { readClockMs, StoreDatabase } from './store-database';
import type { StoreDialect } from './store-dialect';
import { storeMessages } from './store-messages';
import { supersedeApproval } from './supersede-approval';
import { takeLease } from './take-lease';

/** Where a store lies: a SQLite file whose folder exists, or a Postgres database. */
export type StoreSettings =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

export interface OpenStoreOptions {
  /**
   * True: bring the tables to this version first. False: refuse another version; for processes whose parent has
   * migrated the store already.
   */
  readonly migrate: boolean;
}

/**
 * Opens a store. Throws HoldpointError `schema_mismatch` for tables of another version, `store_unavailable` when the
 * database can't be asked.
 */
export function openStore(settings: StoreSettings, options: OpenStoreOptions): Promise<SessionStore> {
  return openOn(dialectOf(settings), options);
}

/** Opens an empty store in memory, which is gone when it is closed. `nowMs` is the store's clock. */
export function openMemoryStore(nowMs: () => number): Promise<SessionStore> {
  return openOn(memoryDialect(nowMs), { migrate: true });
}

async function openOn(dialect: StoreDialect, options: OpenStoreOptions): Promise<SessionStore> {
  const database = new StoreDatabase(dialect);
  try {
    await (options.migrate ? migrateDatabase : checkSchemaVersion)(database, dialect.blobType);
  } catch (error) {
    await database.close();
    throw error;
  }
  return storeOf(database);
}

/** Brings a store's tables to this version and closes it again. Throws what `openStore` throws. */
export async function migrateStore(settings: StoreSettings): Promise<void> {
  const store = await openStore(settings, { migrate: true });
  await store.close();
}

function dialectOf(settings: StoreSettings): StoreDialect {
  return settings.kind === 'sqlite' ? sqliteDialect(settings.path) : postgresDialect(settings.connectionString);
}

function storeOf(database: StoreDatabase): SessionStore {
  return {
    claimRun: (key, fromRunId, toRunId) => claimRun(database, key, fromRunId, toRunId),
    openSession: (fence, input) => openSession(database, fence, input),
    append: (fence, batch) => append(database, fence, batch),
    beginTry: (fence, input) => beginTry(database, fence, input),
    supersedeApproval: (fence, input) => supersedeApproval(database, fence, input),
    storeMessages: (fence, input) => storeMessages(database, fence, input),
    settleApproval: (fence, input) => settleApproval(database, fence, input),
    endTurn: (fence, input) => endTurn(database, fence, input),
    closeSession: (fence, input) => closeSession(database, fence, input),
    appendLateResult: (key, entry, at) => appendLateResult(database, key, entry, at),
    setBlocked: (key, code) => setBlocked(database, key, code),
    readEntries: (key, after, limit) => readEntries(database, key, after, limit),
    readEntry: (key, entryKey) => readEntry(database, key, entryKey),
    readEntriesOf: (key, entryKeys) => readEntriesOf(database, key, entryKeys),
    readApproval: (tenant, approvalId) => readApproval(database, tenant, approvalId),
    readInboxMessage: (key, messageId) => readInboxMessage(database, key, messageId),
    readDigestSalt: (key) => readDigestSalt(database, key),
    readBlob: (key, blobId) => readBlob(database, key, blobId),
    clockMs: () => database.read(readClockMs),
    publishAgents: (agents, tenant) => publishAgents(database, agents, tenant),
    createSession: (input) => createSession(database, input),
    putMessage: (input) => putMessage(database, input),
    putDecision: (input) => putDecision(database, input),
    markDelivered: (key, kind, id) => markDelivered(database, key, kind, id),
    readSession: (key) => readSession(database, key),
    listSessions: (tenant, filter) => listSessions(database, tenant, filter),
    readSessionFacts: (key) => readSessionFacts(database, key),
    listEntries: (key, after, limit, maxBytes) => listEntries(database, key, after, limit, maxBytes),
    listApprovals: (tenant, filter) => listApprovals(database, tenant, filter),
    listApprovalStatuses: (tenant, askedSince) => listApprovalStatuses(database, tenant, askedSince),
    readDecisionOutcome: (tenant, approvalId, decisionId) =>
      readDecisionOutcome(database, tenant, approvalId, decisionId),
    listAgents: (tenant) => listAgents(database, tenant),
    ping: () =>
      database.read(async ({ tx }) => {
        await sql`select 1`.execute(tx);
      }),
    takeLease: (name, holder, leaseMs) => takeLease(database, name, holder, leaseMs),
    listUndelivered: (olderThanMs, limit) => listUndelivered(database, olderThanMs, limit),
    listUnfinished: (olderThanMs, limit, after) => listUnfinished(database, olderThanMs, limit, after),
    markStopped: (key) => markStopped(database, key),
    close: () => database.close(),
  };
}
