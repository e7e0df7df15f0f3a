import type { Entry } from '../../src/core/entries';
import { isEntry } from '../../src/core/entries';

/** How the turns of a log ended, in their order. */
export function turnOutcomes(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => (isEntry(entry, 'turn.ended') ? [entry.data.outcome] : []));
}
