import { sql } from 'kysely';
import { messageKey } from '../../core/entry-keys';
import type { Scope } from './store-database';
import type { SessionRow } from './tables';

/** Marks inbox messages as taken by their entry; ids that came without an inbox row are passed over. */
export async function takeMessages({ tx }: Scope, row: SessionRow, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) {
    return;
  }
  const entryOfMessage = sql<number>`(
    select seq from entries
    where entries.tenant = inbox.tenant and entries.session = inbox.session
      and entries.key = ${messageKey('')} || inbox.id
  )`;
  await tx
    .updateTable('inbox')
    // A message that was dropped has no entry; it is taken by what the log holds now.
    .set({ taken_seq: sql`coalesce(${entryOfMessage}, ${row.last_seq})` })
    .where('tenant', '=', row.tenant)
    .where('session', '=', row.session)
    .where('kind', '=', 'message')
    .where('id', 'in', messageIds)
    .where('taken_seq', 'is', null)
    .execute();
}
