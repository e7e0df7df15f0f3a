import { type RawBuilder, sql } from 'kysely';
import type { SessionStatus } from '../../core/sessions';
import { wakingMessages } from './inbox-row';
import type { Scope } from './store-database';

/**
 * What a session is doing, as SQL about a row of `sessions`.
 *
 * A message that wakes and that nobody took means work to come, also for a closed session: it is about to be opened
 * again. One that wakes nothing may lie there for ever, and so may all of them in a session that was only announced.
 */
export function sessionStatus(scope: Scope): RawBuilder<SessionStatus> {
  const waking = wakingMessages(scope)
    .select('id')
    .whereRef('inbox.tenant', '=', sql.ref('sessions.tenant'))
    .whereRef('inbox.session', '=', sql.ref('sessions.session'))
    // The order makes SQLite take the small index of what is untaken, not the one of all that ever came in.
    .orderBy('position')
    .limit(1);
  const asked = scope.tx
    .selectFrom('approvals')
    .select('approval_id')
    .whereRef('approvals.tenant', '=', sql.ref('sessions.tenant'))
    .whereRef('approvals.session', '=', sql.ref('sessions.session'))
    .where('approvals.status', '=', 'pending')
    .whereRef('approvals.turn', '=', sql.ref('sessions.open_turn'))
    .limit(1);
  return sql<SessionStatus>`case
    when sessions.closed = 1 and (${waking}) is null then 'closed'
    when sessions.blocked_code is not null then 'blocked'
    when sessions.open_turn is not null and (${asked}) is not null then 'waiting_for_approval'
    when sessions.open_turn is not null or (sessions.announced = 0 and (${waking}) is not null) then 'running'
    else 'idle'
  end`;
}
