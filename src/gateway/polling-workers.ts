import { SECOND_MS } from '../core/durations';
import type { Poller } from '../core/run-picture';

/** A poll lasts up to a minute before it is repeated; some more for clocks that differ. */
const POLLING_WITHIN_MS = 75 * SECOND_MS;

/** Identities of the workers that poll, among those Temporal remembers. One that was killed counts for 75 s more. */
export function pollingWorkers(pollers: readonly Poller[], nowMs: number): readonly string[] {
  return pollers
    .filter(({ lastAccessAt }) => lastAccessAt !== null && nowMs - Date.parse(lastAccessAt) <= POLLING_WITHIN_MS)
    .map(({ identity }) => identity);
}
