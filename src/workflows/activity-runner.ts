import type { ActivityOptions } from '@temporalio/workflow';
import type {
  CallModelInput,
  CallModelResult,
  CallSettled,
  SessionActivities,
  SettleCallInput,
  ToolCallInput,
  ToolCallResult,
} from '../core/activity-contracts';

/** Runs the activities that commands ask for: Temporal in a workflow, the process itself in tests of agents. */
export interface ActivityRunner {
  /** Short steps, each run with `LOCAL_OPTIONS`. */
  readonly local: SessionActivities;
  callModel(input: CallModelInput, options: ActivityOptions): Promise<CallModelResult>;
  settleCall(input: SettleCallInput, options: ActivityOptions): Promise<CallSettled>;
  /** The activity `tool.<name>`. */
  runTool(tool: string, input: ToolCallInput, options: ActivityOptions): Promise<ToolCallResult>;
}
