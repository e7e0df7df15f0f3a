import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { StepRefused } from '../core/activity-contracts';
import { callModelOptions, runCallOptions, SETTLE_CALL_OPTIONS } from './activity-options';
import type { ActivityRunner } from './activity-runner';
import type { SessionState } from './agent-session-state';
import type { Command } from './plan-commands';
import type { CommandResult } from './session-event';

/** Runs a command and says how it ended. Never rejects: a failure is a result with an error code. */
export async function runCommand(
  command: Command,
  state: SessionState,
  activities: ActivityRunner,
): Promise<CommandResult> {
  try {
    return await dispatch(command, state, activities);
  } catch (error) {
    return { type: 'command-failed', command, code: codeOf(error) };
  }
}

async function dispatch(command: Command, state: SessionState, activities: ActivityRunner): Promise<CommandResult> {
  const { local } = activities;
  const last = state.last === undefined ? {} : { last: state.last };
  switch (command.type) {
    case 'open-session': {
      const result = await local.openSession({ v: 1, agent: state.agent, ...state.options, ...last });
      return isRefused(result) ? refusal(command, result) : { type: 'opened', command, result };
    }
    case 'call-model': {
      const options = callModelOptions(command.input.limitMs);
      const result = await activities.callModel(command.input, options);
      return { type: 'replied', command, result };
    }
    case 'run-call': {
      const options = runCallOptions(command.timeoutMs, `${command.tool} ${command.input.callId}`);
      const result = await activities.runTool(command.tool, command.input, options);
      return { type: 'call-finished', command, result };
    }
    case 'settle-call': {
      const result = await activities.settleCall({ v: 1, callId: command.callId, ...last }, SETTLE_CALL_OPTIONS);
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
