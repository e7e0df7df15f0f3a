import type * as WorkerModule from './run-project-worker';
import type { CreateWorkerOptions } from './run-project-worker';
import type { RunningWorker } from './start-worker';

export type { CreateWorkerOptions, RunningWorker };

/**
 * Starts a worker in this process: loads the project, opens the store, connects to Temporal, publishes the project's
 * agents and polls. One process may have several; they share Temporal's runtime, whose log lines go to the first one.
 *
 * Throws HoldpointError `invalid_config` and `invalid_definition` with every fault, also while there is no authentication
 * and `HOLDPOINT_UNSAFE_NO_AUTH` does not say that this is known; `schema_mismatch` for a store of another version,
 * `store_unavailable`, `temporal_unavailable`, `worker_start_failed`. What was opened is closed again.
 */
export async function createWorker(options: CreateWorkerOptions = {}): Promise<RunningWorker> {
  // Late: a project that only defines its tools, or tests them, needs neither Temporal's library nor a store.
  const { runProjectWorker } = require('./run-project-worker') as typeof WorkerModule;
  return runProjectWorker(options);
}
