import type { NewEntry } from '../../core/entries';
import { messageKey } from '../../core/entry-keys';
import type { SessionKey } from '../../core/ids';
import { inboxMessageOf, untakenMessages } from './inbox-row';
import { findEntries } from './read-entries';
import type { Scope } from './store-database';
import type { SessionRow } from './tables';
import { takeMessages } from './take-messages';
import { writeEntries } from './write-entries';

/** Rows that are handled at once. */
const PAGE_ROWS = 500;

/** Messages that are dropped are logged, so that nothing a person sent disappears; those the log knows are left alone. */
export async function dropMessages(
  scope: Scope,
  row: SessionRow,
  discards: readonly NewEntry[],
  at: string,
): Promise<SessionRow> {
  const key = { tenant: row.tenant, sessionId: row.session } as SessionKey;
  const stored = await findEntries(
    scope,
    key,
    discards.map((entry) => entry.key),
  );
  const dropped = discards.filter((entry) => !stored.has(entry.key));
  const written = await writeEntries(scope, row, dropped, at, { isBatchEach: true });
  const ids = discards.map((entry) => entry.key.slice(messageKey('').length));
  await takeMessages(scope, written.row, ids);
  return written.row;
}

/** The same for everything that nobody has taken yet. */
export async function dropUntakenMessages(scope: Scope, row: SessionRow, at: string): Promise<SessionRow> {
  let current = row;
  for (;;) {
    const rows = await untakenMessages(scope)
      .select(['id', 'body'])
      .where('tenant', '=', row.tenant)
      .where('session', '=', row.session)
      .orderBy('position')
      .limit(PAGE_ROWS)
      .execute();
    if (rows.length === 0) {
      return current;
    }
    const discards = rows.map((found): NewEntry => {
      const { principal, ...message } = inboxMessageOf(found);
      const sender = principal === undefined ? {} : { principal };
      const data = { ...message, ...sender, discarded: true as const };
      return { key: messageKey(message.messageId), type: 'user.message', data };
    });
    current = await dropMessages(scope, current, discards, at);
  }
}
