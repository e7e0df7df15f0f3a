import type { Info } from '@temporalio/activity';
import { HoldpointError } from '../core/errors';
import type { ActivityDependencies } from './activity-dependencies';

/**
 * Gives other workers time to pick up an activity whose definition this one lacks, so that a rolling deploy neither
 * fails a turn nor revokes an approval. Returns once that time, counted from the first scheduling, is over; throws
 * HoldpointError `definition_not_here` (retryable) before.
 */
export async function waitForDefinition(
  { clock, definitionGraceMs }: Pick<ActivityDependencies, 'clock' | 'definitionGraceMs'>,
  { scheduledTimestampMs }: Pick<Info, 'scheduledTimestampMs'>,
  subject: string,
): Promise<void> {
  if ((await clock.nowMs()) - scheduledTimestampMs < definitionGraceMs) {
    throw new HoldpointError('definition_not_here', `This worker has another definition of ${subject}, or none.`);
  }
}
