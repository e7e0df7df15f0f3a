import type { EffectActivities, SessionActivities } from '../core/activity-contracts';
import type { ActivityDependencies } from './activity-dependencies';
import { createApprovalActivities } from './approval-activities';
import { createModelActivities } from './model-activities';
import { createSessionActivities } from './session-activities';
import { createSettleCallActivities } from './settle-call';
import { createToolActivities, type ToolActivities } from './tool-activities';

/** Everything a worker registers. `default` serves every `tool.<name>`. */
export function createActivities(
  dependencies: ActivityDependencies,
): SessionActivities & EffectActivities & ToolActivities {
  return {
    ...createSessionActivities(dependencies),
    ...createApprovalActivities(dependencies),
    ...createModelActivities(dependencies),
    ...createSettleCallActivities(dependencies),
    ...createToolActivities(dependencies),
  };
}
