import type { SessionKey } from '../../core/ids';
import type { UndeliveredRow, UnfinishedSession } from '../../core/ports/sweep-store';
import { wakingMessages } from './inbox-row';
import { readClockMs, type StoreDatabase } from './store-database';

/** See `SweepStore.listUndelivered`. */
export function listUndelivered(
  database: StoreDatabase,
  olderThanMs: number,
  limit: number,
): Promise<readonly UndeliveredRow[]> {
  return database.read(async (scope) => {
    const rows = await scope.tx
      .selectFrom('inbox')
      .innerJoin('sessions', (join) =>
        join.onRef('sessions.tenant', '=', 'inbox.tenant').onRef('sessions.session', '=', 'inbox.session'),
      )
      .select(['inbox.tenant', 'inbox.session', 'inbox.kind', 'inbox.id', 'inbox.approval_id', 'sessions.agent'])
      .where('sessions.state', '=', 'active')
      .where('sessions.announced', '=', 0)
      .where('inbox.delivered_ms', 'is', null)
      // What was taken without its signal needs none any more.
      .where('inbox.taken_seq', 'is', null)
      .where('inbox.settled_ms', 'is', null)
      .where('inbox.stored_ms', '<=', (await readClockMs(scope)) - olderThanMs)
      .orderBy('inbox.stored_ms')
      .orderBy('inbox.tenant')
      .orderBy('inbox.session')
      .orderBy('inbox.position')
      .limit(limit)
      .execute();
    return rows.map(({ tenant, session, kind, id, approval_id: approvalId, agent }) => ({
      ...keyOf(tenant, session),
      kind,
      id,
      agent,
      ...(approvalId === null ? {} : { approvalId }),
    }));
  });
}

/** See `SweepStore.listUnfinished`. */
export function listUnfinished(
  database: StoreDatabase,
  olderThanMs: number,
  limit: number,
  after: SessionKey | undefined,
): Promise<readonly UnfinishedSession[]> {
  return database.read(async (scope) => {
    const changedBefore = (await readClockMs(scope)) - olderThanMs;
    const open = scope.tx.selectFrom('sessions').select(['tenant', 'session']).where('open_turn', 'is not', null);
    const waiting = wakingMessages(scope).select(['tenant', 'session']);
    const rows = await scope.tx
      .selectFrom(open.union(waiting).as('due'))
      .innerJoin('sessions', (join) =>
        join.onRef('sessions.tenant', '=', 'due.tenant').onRef('sessions.session', '=', 'due.session'),
      )
      .select((query) => [
        'sessions.tenant',
        'sessions.session',
        'sessions.agent',
        wakingMessages(scope)
          .select('id')
          .where('inbox.tenant', '=', query.ref('sessions.tenant'))
          .where('inbox.session', '=', query.ref('sessions.session'))
          .orderBy('position')
          .limit(1)
          .as('untaken'),
      ])
      .where('sessions.state', '=', 'active')
      .where('sessions.stopped', '=', 0)
      .where('sessions.announced', '=', 0)
      .where('sessions.changed_ms', '<=', changedBefore)
      .$if(after !== undefined, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('sessions.tenant', 'sessions.session'),
            '>',
            tuple<string, string>(after?.tenant ?? '', after?.sessionId ?? ''),
          ),
        ),
      )
      .orderBy('sessions.tenant')
      .orderBy('sessions.session')
      .limit(limit)
      .execute();
    return rows.map(({ tenant, session, agent, untaken }) => ({
      ...keyOf(tenant, session),
      agent,
      ...(untaken === null ? {} : { untakenMessageId: untaken }),
    }));
  });
}

function keyOf(tenant: string, session: string): SessionKey {
  return { tenant, sessionId: session } as SessionKey;
}
