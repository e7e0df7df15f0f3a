import type { EffectActivities, SessionActivities } from '../core/activity-contracts';
import type { ActivityDependencies } from './activity-dependencies';
import { createApprovalActivities } from './approval-activities';
import { createModelActivities } from './model-activities';
import { quietFeed } from './quiet-feed';
import { createSessionActivities } from './session-activities';
import { createSettleCallActivities } from './settle-call';
import { createToolActivities, type ToolActivities } from './tool-activities';

/** Everything a worker registers. `default` serves every `tool.<name>`. */
export function createActivities(given: ActivityDependencies): SessionActivities & EffectActivities & ToolActivities {
  const dependencies = { ...given, feed: quietFeed(given) };
  return {
    ...createSessionActivities(dependencies),
    ...createApprovalActivities(dependencies),
    ...createModelActivities(dependencies),
    ...createSettleCallActivities(dependencies),
    ...createToolActivities(dependencies),
  };
}
