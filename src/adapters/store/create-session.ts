import { messageKey } from '../../core/entry-keys';
import type { NewMessage, NewSession, Stored } from '../../core/ports/gateway-store';
import { digestOf } from '../../digests/digest-of';
import { findInbox, type MessageText, putInbox } from './inbox-row';
import { lockRow, updateSession } from './lock-session';
import { newSessionRow } from './new-session-row';
import { hasEntry } from './read-entries';
import { isFinishedTask } from './session-options';
import { readClockMs, type Scope, type StoreDatabase } from './store-database';
import type { InboxRow, SessionRow } from './tables';

/** See `GatewayStore.createSession`. */
export function createSession(database: StoreDatabase, input: NewSession): Promise<Stored> {
  return database.write(async (scope) => {
    const { agent, message, at, isAnnounced = false } = input;
    const { messageId, ...text } = message;
    const startDigest = startDigestOf(input);
    const { numInsertedOrUpdatedRows } = await scope.tx
      .insertInto('sessions')
      .values(
        newSessionRow(input, input, {
          agent,
          origin: 'gateway',
          run_id: '',
          start_digest: startDigest,
          announced: isAnnounced ? 1 : 0,
          created_at: at,
          changed_ms: await readClockMs(scope),
        }),
      )
      .onConflict((conflicting) => conflicting.doNothing())
      .executeTakeFirstOrThrow();
    const row = await lockRow(scope, input);
    if (row === undefined || row.state !== 'active') {
      return { status: 'conflict', code: 'session_erased' };
    }
    if (numInsertedOrUpdatedRows === 1n) {
      await putMessageRow(scope, row, messageId, text, at);
      return { status: 'created' };
    }
    if (row.start_digest !== startDigest) {
      return { status: 'conflict', code: 'session_exists' };
    }
    if (row.announced === 1 && !isAnnounced) {
      await updateSession(scope, row, { announced: 0 });
    }
    return sameMessage(await findInbox(scope, input, 'message', messageId));
  });
}

/** What makes two starts the same. Sessions from before there were options have a digest without them. */
function startDigestOf({ agent, message, mode = 'conversation', limits = {}, metadata = {} }: NewSession): string {
  const hasOptions = mode !== 'conversation' || Object.keys({ ...limits, ...metadata }).length > 0;
  return digestOf(hasOptions ? [agent, message, { mode, limits, metadata }] : [agent, message]);
}

/** See `GatewayStore.putMessage`. */
export function putMessage(database: StoreDatabase, input: NewMessage): Promise<Stored> {
  return database.write(async (scope) => {
    const row = await lockRow(scope, input);
    if (row === undefined) {
      return { status: 'conflict', code: 'unknown_session' };
    }
    if (row.state !== 'active') {
      return { status: 'conflict', code: 'session_erased' };
    }
    const { messageId, ...text } = input.message;
    const stored = await findInbox(scope, input, 'message', messageId);
    if (stored !== undefined) {
      const isSame = stored.body_digest === digestOf(text);
      return isSame ? sameMessage(stored) : { status: 'conflict', code: 'idempotency_conflict' };
    }
    if (isFinishedTask(row)) {
      return { status: 'conflict', code: 'session_closed' };
    }
    // The id came by a plain signal before: a row for it would wait for ever.
    if (await hasEntry(scope, input, messageKey(messageId))) {
      return { status: 'conflict', code: 'idempotency_conflict' };
    }
    await putMessageRow(scope, row, messageId, text, input.at);
    return { status: 'created', ...(row.announced === 1 ? { isAnnounced: true } : {}) };
  });
}

function sameMessage(stored: InboxRow | undefined): Stored {
  return { status: 'same', ...(typeof stored?.taken_seq === 'number' ? { isTaken: true } : {}) };
}

async function putMessageRow(
  scope: Scope,
  row: SessionRow,
  messageId: string,
  text: MessageText,
  at: string,
): Promise<void> {
  await putInbox(scope, row, { kind: 'message', id: messageId, body: text, identity: text, at });
}
