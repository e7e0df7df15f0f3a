import { type Kysely, sql } from 'kysely';

/** The tables of the first release. */
export async function firstTables(database: Kysely<unknown>, blobType: 'blob' | 'bytea'): Promise<void> {
  await createSessions(database, blobType);
  await createEntries(database, blobType);
  await createApprovals(database);
  await createInbox(database);
  await createRest(database, blobType);
}

async function createSessions({ schema }: Kysely<unknown>, blobType: 'blob' | 'bytea'): Promise<void> {
  await schema
    .createTable('sessions')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('agent', 'text', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('log_format', 'integer', (column) => column.notNull())
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('blocked_code', 'text')
    .addColumn('stopped', 'integer', (column) => column.notNull())
    .addColumn('closed', 'integer', (column) => column.notNull())
    .addColumn('opening', 'integer', (column) => column.notNull())
    .addColumn('last_seq', 'integer', (column) => column.notNull())
    .addColumn('last_digest', 'text')
    .addColumn('last_turn', 'integer', (column) => column.notNull())
    .addColumn('open_turn', 'integer')
    .addColumn('round', 'integer')
    .addColumn('ended_turn', 'integer', (column) => column.notNull())
    .addColumn('ended_outcome', 'text')
    .addColumn('ended_code', 'text')
    .addColumn('usage', 'text', (column) => column.notNull())
    .addColumn('last_inbox', 'integer', (column) => column.notNull())
    .addColumn('start_digest', 'text')
    .addColumn('digest_salt', blobType, (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('changed_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('sessions_key', ['tenant', 'session'])
    .execute();
  await schema
    .createIndex('sessions_open')
    .on('sessions')
    .columns(['tenant', 'session'])
    .where(sql.ref('open_turn'), 'is not', null)
    .execute();
}

async function createEntries({ schema }: Kysely<unknown>, blobType: 'blob' | 'bytea'): Promise<void> {
  await schema
    .createTable('entries')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('batch', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('turn', 'integer')
    .addColumn('round', 'integer')
    .addColumn('call_id', 'text')
    .addColumn('data', 'text')
    .addColumn('salt', blobType)
    .addColumn('data_digest', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('previous_digest', 'text')
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('entries_place', ['tenant', 'session', 'seq'])
    .addUniqueConstraint('entries_key', ['tenant', 'session', 'key'])
    .execute();
  await schema
    .createIndex('entries_call')
    .on('entries')
    .columns(['tenant', 'session', 'call_id'])
    .where(sql.ref('call_id'), 'is not', null)
    .execute();
}

async function createApprovals({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('approvals')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('approval_id', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('turn', 'integer', (column) => column.notNull())
    .addColumn('call_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('arguments_digest', 'text', (column) => column.notNull())
    .addColumn('requested_at', 'text', (column) => column.notNull())
    .addColumn('asked_seq', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('grant_use_ms', 'bigint', (column) => column.notNull())
    .addColumn('use_by_ms', 'bigint')
    .addColumn('used_by', 'text')
    .addColumn('refused_count', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('approvals_key', ['tenant', 'approval_id'])
    .execute();
  // Lists are read in the order of asking, page by page, with a status and without.
  const order = ['requested_at', 'session', 'asked_seq'];
  await schema
    .createIndex('approvals_asked')
    .on('approvals')
    .columns(['tenant', ...order])
    .execute();
  await schema
    .createIndex('approvals_status')
    .on('approvals')
    .columns(['tenant', 'status', ...order])
    .execute();
  await schema.createIndex('approvals_session').on('approvals').columns(['tenant', 'session', 'status']).execute();
  await schema
    .createTable('decisions')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('approval_id', 'text', (column) => column.notNull())
    .addColumn('decision_id', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('decisions_key', ['tenant', 'approval_id', 'decision_id'])
    .execute();
}

async function createInbox({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('inbox')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('mode', 'text')
    .addColumn('approval_id', 'text')
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('body_digest', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('stored_ms', 'bigint', (column) => column.notNull())
    .addColumn('delivered_ms', 'bigint')
    .addColumn('settled_ms', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('taken_seq', 'integer')
    .addPrimaryKeyConstraint('inbox_key', ['tenant', 'session', 'kind', 'id'])
    .execute();
  // What is still to be done is a small part of the table.
  await schema
    .createIndex('inbox_untaken')
    .on('inbox')
    .columns(['tenant', 'session', 'position'])
    .where(sql.ref('kind'), '=', sql.lit('message'))
    .where(sql.ref('taken_seq'), 'is', null)
    .execute();
  await schema
    .createIndex('inbox_unsettled')
    .on('inbox')
    .columns(['tenant', 'session', 'approval_id', 'position'])
    .where(sql.ref('kind'), '=', sql.lit('decision'))
    .where(sql.ref('settled_ms'), 'is', null)
    .execute();
  await schema
    .createIndex('inbox_undelivered')
    .on('inbox')
    .columns(['tenant', 'stored_ms'])
    .where(sql.ref('delivered_ms'), 'is', null)
    .execute();
}

async function createRest({ schema }: Kysely<unknown>, blobType: 'blob' | 'bytea'): Promise<void> {
  await schema
    .createTable('outbox')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('stored_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('outbox_key', ['tenant', 'session', 'seq'])
    .execute();
  await schema
    .createTable('blobs')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('blob_id', 'text', (column) => column.notNull())
    .addColumn('bytes', blobType, (column) => column.notNull())
    .addPrimaryKeyConstraint('blobs_key', ['tenant', 'session', 'blob_id'])
    .execute();
  await schema
    .createTable('agent_versions')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addColumn('published_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('agent_versions_key', ['tenant', 'name', 'digest'])
    .execute();
  await schema
    .createTable('leases')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('until_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('leases_key', ['name'])
    .execute();
}
