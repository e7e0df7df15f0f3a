import type { LogPosition } from '../../core/entries';
import { messageKey } from '../../core/entry-keys';
import type { InboxMessage, RunFence } from '../../core/ports/worker-store';
import { findInbox, putInbox } from './inbox-row';
import { lockForRun, positionOf } from './lock-session';
import { hasEntry } from './read-entries';
import type { StoreDatabase } from './store-database';

/** See `WorkerStore.storeMessages`. */
export function storeMessages(
  database: StoreDatabase,
  fence: RunFence,
  { messages, at }: { readonly messages: readonly InboxMessage[]; readonly at: string },
): Promise<{ readonly last: LogPosition | undefined }> {
  return database.write(async (scope) => {
    let row = await lockForRun(scope, fence);
    for (const { messageId, ...text } of messages) {
      const isKnown =
        (await findInbox(scope, fence, 'message', messageId)) !== undefined ||
        (await hasEntry(scope, fence, messageKey(messageId)));
      if (!isKnown) {
        row = await putInbox(scope, row, {
          kind: 'message',
          id: messageId,
          body: text,
          identity: text,
          at,
          isDelivered: true,
        });
      }
    }
    return { last: row.last_seq === 0 ? undefined : positionOf(row) };
  });
}
