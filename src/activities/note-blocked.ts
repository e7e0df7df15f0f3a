import type { ErrorCode } from '../core/errors';
import type { SessionKey } from '../core/ids';
import type { ActivityDependencies } from './activity-dependencies';

/** Codes after which nothing of a session may run until somebody has looked at it. */
const BLOCKING: readonly ErrorCode[] = ['log_behind', 'log_conflict', 'log_format_newer'];

export function isBlockingCode(code: ErrorCode): boolean {
  return BLOCKING.includes(code);
}

/**
 * Says on the session's row why it is blocked: a courtesy to whoever reads it, since the workflow blocks itself by the
 * code it gets. Never rejects.
 */
export async function noteBlocked(
  { store, feed, logger }: Pick<ActivityDependencies, 'store' | 'feed' | 'logger'>,
  key: SessionKey,
  code: ErrorCode,
): Promise<void> {
  try {
    await store.setBlocked(key, code);
    feed.publish({ ...key, type: 'committed' });
  } catch (error) {
    logger.warn('A blocked session could not be marked.', { ...key, code, error });
  }
}
