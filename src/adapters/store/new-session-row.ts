import { randomBytes } from 'node:crypto';
import type { Insertable } from 'kysely';
import { LOG_FORMAT_VERSION } from '../../core/entries';
import type { SessionKey } from '../../core/ids';
import { NO_USAGE } from '../../core/messages';
import type { SessionOptions } from '../../core/sessions';
import { jsonText } from './json-text';
import type { SessionRow, SessionsTable } from './tables';

const DIGEST_SALT_BYTES = 32;

/** The row of a session that is not there yet. */
export function newSessionRow(
  { tenant, sessionId }: SessionKey,
  { mode = 'conversation', limits = {}, metadata = {} }: SessionOptions,
  input: Pick<SessionRow, 'agent' | 'origin' | 'run_id' | 'start_digest' | 'created_at' | 'changed_ms' | 'announced'>,
): Insertable<SessionsTable> {
  return {
    tenant,
    session: sessionId,
    state: 'active',
    log_format: LOG_FORMAT_VERSION,
    blocked_code: null,
    stopped: 0,
    closed: 0,
    opening: 0,
    last_seq: 0,
    last_digest: null,
    last_turn: 0,
    open_turn: null,
    round: null,
    ended_turn: 0,
    ended_outcome: null,
    ended_code: null,
    usage: jsonText(NO_USAGE),
    last_inbox: 0,
    digest_salt: randomBytes(DIGEST_SALT_BYTES),
    mode,
    limits: textOrNull(limits),
    metadata: textOrNull(metadata),
    ...input,
  };
}

function textOrNull(options: object): string | null {
  return Object.keys(options).length === 0 ? null : jsonText(options);
}
