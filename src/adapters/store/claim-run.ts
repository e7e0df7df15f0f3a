import { HoldpointError } from '../../core/errors';
import { type SessionKey, workflowIdOf } from '../../core/ids';
import { lockSession, updateSession } from './lock-session';
import type { StoreDatabase } from './store-database';

/** See `WorkerStore.claimRun`. A claim that was made before and whose acknowledgement was lost is true again. */
export function claimRun(
  database: StoreDatabase,
  key: SessionKey,
  fromRunId: string,
  toRunId: string,
): Promise<boolean> {
  if (toRunId === '') {
    throw new HoldpointError('internal', `Session ${workflowIdOf(key)} can't be claimed for no run.`);
  }
  return database.write(async (scope) => {
    const row = await lockSession(scope, key);
    if (row.run_id !== fromRunId && row.run_id !== toRunId) {
      return false;
    }
    await updateSession(scope, row, { run_id: toRunId });
    return true;
  });
}
