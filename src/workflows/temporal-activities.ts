import { ApplicationFailure, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import {
  type EffectActivities,
  type SessionActivities,
  type ToolCallInput,
  type ToolCallResult,
  toolActivityType,
} from '../core/activity-contracts';
import { LOCAL_OPTIONS, SETTLE_CALL_OPTIONS } from './activity-options';
import type { ActivityRunner } from './activity-runner';

type ToolActivities = Record<string, (input: ToolCallInput) => Promise<ToolCallResult>>;

const effects = proxyActivities<EffectActivities>(SETTLE_CALL_OPTIONS);
const tools = proxyActivities<ToolActivities>(SETTLE_CALL_OPTIONS);

/** Has Temporal run the activities. Only in a workflow. */
export const temporalActivities: ActivityRunner = {
  local: proxyLocalActivities<SessionActivities>(LOCAL_OPTIONS),
  callModel: (input, options) => effects.callModel.executeWithOptions(options, [input]),
  settleCall: (input, options) => effects.settleCall.executeWithOptions(options, [input]),
  runTool: async (tool, input, options) => {
    const activity = tools[toolActivityType(tool)];
    if (activity === undefined) {
      throw ApplicationFailure.nonRetryable('tool_unavailable', 'tool_unavailable');
    }
    return activity.executeWithOptions(options, [input]);
  },
};
