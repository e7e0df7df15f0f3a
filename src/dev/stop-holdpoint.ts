import { SECOND_MS } from '../core/durations';
import { isHoldpointError } from '../core/errors';
import { stopLeftovers } from './stop-leftovers';

/** An orderly stop lets writes that have begun finish. */
const ORDERLY_STOP_MS = 40 * SECOND_MS;

/** What was stopped: process ids. */
export interface Stopped {
  /** The holdpoint that held the folder, when one did: for example one whose terminal was killed. */
  readonly holdpoint: number | undefined;
  /** Temporal servers that nobody watched over any more. */
  readonly servers: readonly number[];
}

/**
 * Stops everything that runs on a state folder: a live holdpoint in order, as Ctrl-C would, and what a killed one left
 * behind. Throws `folder_in_use` when the holder does not let go, `folder_not_writable`.
 *
 * @param report Hears in one line what takes time.
 */
export async function stopHoldpoint(folder: string, report: (line: string) => void): Promise<Stopped> {
  try {
    return { holdpoint: undefined, servers: await stopLeftovers(folder) };
  } catch (error) {
    const holder = isHoldpointError(error) && error.code === 'folder_in_use' ? error.details['pid'] : undefined;
    if (typeof holder !== 'number') {
      throw error;
    }
    report(`stopping holdpoint (process ${holder})`);
    process.kill(holder, 'SIGTERM');
    return { holdpoint: holder, servers: await stopLeftovers(folder, ORDERLY_STOP_MS) };
  }
}
