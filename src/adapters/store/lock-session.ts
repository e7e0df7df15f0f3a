import type { Updateable } from 'kysely';
import { LOG_FORMAT_VERSION, type LogPosition } from '../../core/entries';
import { HoldpointError } from '../../core/errors';
import { type SessionKey, workflowIdOf } from '../../core/ids';
import type { RunFence } from '../../core/ports/worker-store';
import type { Scope } from './store-database';
import type { SessionRow, SessionsTable } from './tables';

/** Characters of a digest in a position: 132 bits tell two logs apart, and Temporal's history stays small. */
const POSITION_CHARACTERS = 22;

/** The end of a session's log; seq 0 while it is empty. */
export function positionOf(row: SessionRow): LogPosition {
  return [row.last_seq, (row.last_digest ?? '').slice(0, POSITION_CHARACTERS)];
}

/** Reads a session's row and locks it until the transaction ends; undefined for an unknown session. */
export async function lockRow(
  { tx, rowLock }: Scope,
  { tenant, sessionId }: SessionKey,
): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .modifyEnd(rowLock)
    .executeTakeFirst();
}

/** Throws HoldpointError `unknown_session`, `session_erased` or `log_format_newer`. */
export function requireUsable(row: SessionRow | undefined, key: SessionKey): SessionRow {
  if (row === undefined) {
    throw new HoldpointError('unknown_session', `There is no session ${workflowIdOf(key)}.`);
  }
  if (row.state !== 'active') {
    throw new HoldpointError('session_erased', `Session ${workflowIdOf(key)} was erased.`);
  }
  if (row.log_format > LOG_FORMAT_VERSION) {
    const { log_format: found } = row;
    throw new HoldpointError(
      'log_format_newer',
      `The log of session ${workflowIdOf(key)} has format ${found}; this version reads up to ${LOG_FORMAT_VERSION}.`,
      { found, supported: LOG_FORMAT_VERSION },
    );
  }
  return row;
}

/** Locks a session for a writer that is no run: a gateway, or a late result. */
export async function lockSession(scope: Scope, key: SessionKey): Promise<SessionRow> {
  return requireUsable(await lockRow(scope, key), key);
}

/** Locks a session for a run, which must be the one that may write and must have seen nothing the log lacks. */
export async function lockForRun(scope: Scope, fence: RunFence): Promise<SessionRow> {
  const row = requireUsable(await lockRow(scope, fence), fence);
  await requireFence(scope, fence, row);
  return row;
}

/** Throws HoldpointError `run_mismatch` or `log_behind`. */
export async function requireFence(scope: Scope, fence: RunFence, row: SessionRow): Promise<void> {
  if (row.run_id !== fence.runId) {
    throw new HoldpointError(
      'run_mismatch',
      `Run ${fence.runId} is not the one that may write to session ${workflowIdOf(fence)}.`,
      { storedRunId: row.run_id },
    );
  }
  if (fence.last !== undefined && !(await contains(scope, row, fence.last))) {
    const [seenSeq] = fence.last;
    throw new HoldpointError(
      'log_behind',
      `The log of session ${workflowIdOf(fence)} lacks what its workflow has seen: entry ${seenSeq} with its digest.`,
      { storedSeq: row.last_seq, seenSeq },
    );
  }
}

/** Writes changes of a session's row and returns the row as it is then. The caller holds its lock. */
export async function updateSession(
  { tx, nowMs }: Scope,
  row: SessionRow,
  changes: Updateable<SessionsTable>,
): Promise<SessionRow> {
  await tx
    .updateTable('sessions')
    .set({ ...changes, changed_ms: nowMs })
    .where('tenant', '=', row.tenant)
    .where('session', '=', row.session)
    .execute();
  return { ...row, ...changes } as SessionRow;
}

async function contains({ tx }: Scope, row: SessionRow, [seq, digest]: LogPosition): Promise<boolean> {
  if (seq === 0) {
    return true;
  }
  if (digest.length < POSITION_CHARACTERS || seq > row.last_seq) {
    return false;
  }
  if (seq === row.last_seq) {
    return row.last_digest?.startsWith(digest) ?? false;
  }
  const entry = await tx
    .selectFrom('entries')
    .select('digest')
    .where('tenant', '=', row.tenant)
    .where('session', '=', row.session)
    .where('seq', '=', seq)
    .executeTakeFirst();
  return entry?.digest.startsWith(digest) ?? false;
}
