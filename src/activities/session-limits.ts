import { type Entry, type EntryOf, isEntry } from '../core/entries';
import { type Limits, narrowedLimits } from '../core/limits';
import type { ActivityDependencies } from './activity-dependencies';

/** The limits of a session: its agent's, narrowed to its own. Undefined when this worker lacks the agent. */
export function sessionLimits(
  { catalog }: Pick<ActivityDependencies, 'catalog'>,
  started: EntryOf<'session.started'> | undefined,
): Limits | undefined {
  const agent = started && catalog.agents.get(started.data.agent);
  return agent && narrowedLimits(agent.limits, started.data.limits);
}

/** The same, from a session's log. */
export function limitsOf(
  dependencies: Pick<ActivityDependencies, 'catalog'>,
  entries: readonly Entry[],
): Limits | undefined {
  const started = entries.findLast((entry) => isEntry(entry, 'session.started'));
  return sessionLimits(dependencies, isEntry(started, 'session.started') ? started : undefined);
}
