import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import {
  type EffectActivities,
  type SessionActivities,
  type StepRefused,
  type ToolCallInput,
  type ToolCallResult,
  toolActivityType,
} from '../core/activity-contracts';
import { callModelOptions, LOCAL_OPTIONS, runCallOptions, SETTLE_CALL_OPTIONS } from './activity-options';
import type { SessionState } from './agent-session-state';
import type { Command } from './plan-commands';
import type { CommandResult } from './session-event';

type ToolActivities = Record<string, (input: ToolCallInput) => Promise<ToolCallResult>>;

const local = proxyLocalActivities<SessionActivities>(LOCAL_OPTIONS);
const effects = proxyActivities<EffectActivities>(SETTLE_CALL_OPTIONS);
const tools = proxyActivities<ToolActivities>(SETTLE_CALL_OPTIONS);

/** Runs a command and says how it ended. Never rejects: a failure is a result with an error code. */
export async function runCommand(command: Command, state: SessionState): Promise<CommandResult> {
  try {
    return await dispatch(command, state);
  } catch (error) {
    return { type: 'command-failed', command, code: codeOf(error) };
  }
}

async function dispatch(command: Command, state: SessionState): Promise<CommandResult> {
  const last = state.last === undefined ? {} : { last: state.last };
  switch (command.type) {
    case 'open-session': {
      const result = await local.openSession({ v: 1, agent: state.agent, ...state.options, ...last });
      return isRefused(result) ? refusal(command, result) : { type: 'opened', command, result };
    }
    case 'call-model': {
      const options = callModelOptions(command.input.limitMs);
      const result = await effects.callModel.executeWithOptions(options, [command.input]);
      return { type: 'replied', command, result };
    }
    case 'run-call': {
      const options = runCallOptions(command.timeoutMs, `${command.tool} ${command.input.callId}`);
      const result = await toolActivity(command.tool).executeWithOptions(options, [command.input]);
      return { type: 'call-finished', command, result };
    }
    case 'settle-call': {
      const result = await effects.settleCall({ v: 1, callId: command.callId, ...last });
      return { type: 'call-settled', command, result };
    }
    case 'settle-approval': {
      const result = await local.settleApproval(command.input);
      return isRefused(result) ? refusal(command, result) : { type: 'approval-settled', command, result };
    }
    case 'store-messages': {
      const result = await local.storeMessages(command.input);
      return isRefused(result) ? refusal(command, result) : { type: 'messages-stored', command, result };
    }
    case 'end-turn': {
      const result = await local.endTurn(command.input);
      return isRefused(result) ? refusal(command, result) : { type: 'turn-ended', command, result };
    }
    case 'close-session': {
      const { reason, textOfTurn } = command;
      const text = textOfTurn === undefined ? {} : { textOfTurn };
      const result = await local.closeSession({ v: 1, reason, ...text, ...last });
      return isRefused(result) ? refusal(command, result) : { type: 'closed', command, result };
    }
  }
}

function toolActivity(tool: string): (typeof tools)[string] {
  const activity = tools[toolActivityType(tool)];
  if (activity === undefined) {
    throw ApplicationFailure.nonRetryable('tool_unavailable', 'tool_unavailable');
  }
  return activity;
}

function isRefused(result: { readonly status: string }): result is StepRefused {
  return result.status === 'refused';
}

function refusal(command: Command, result: StepRefused): CommandResult {
  return { type: 'command-failed', command, code: result.code };
}

/** Codes travel as failure types; an activity that timed out for good was lost with its workers. */
function codeOf(error: unknown): string {
  if (isCancellation(error)) {
    return 'cancelled';
  }
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? (cause.type ?? 'internal') : 'worker_lost';
}
