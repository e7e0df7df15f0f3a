import type {
  CallModelInput,
  EndTurnInput,
  QueuedMessage,
  SettleApprovalInput,
  StoreMessagesInput,
  ToolCallInput,
  WorkflowAnswer,
} from '../core/activity-contracts';
import type { CallState, PendingDecisions, SessionState, TurnState } from './agent-session-state';
import { textsToStore } from './message-queue';
import { openQuestions } from './open-questions';
import { startableCalls } from './startable-calls';

/** Something the workflow has to get done by an activity. */
export type Command =
  | { readonly type: 'open-session' }
  | { readonly type: 'call-model'; readonly input: CallModelInput }
  | { readonly type: 'run-call'; readonly tool: string; readonly timeoutMs: number; readonly input: ToolCallInput }
  | { readonly type: 'settle-call'; readonly callId: string }
  | { readonly type: 'settle-approval'; readonly input: SettleApprovalInput }
  | { readonly type: 'store-messages'; readonly input: StoreMessagesInput }
  | { readonly type: 'end-turn'; readonly input: EndTurnInput }
  | { readonly type: 'close-session'; readonly reason: string; readonly textOfTurn?: number };

/** Names what is under way; there is never a second command with the same key. */
export function commandKey(command: Command): string {
  switch (command.type) {
    case 'run-call':
      return `call:${command.input.callId}`;
    case 'settle-call':
      return `settle-call:${command.callId}`;
    default:
      return command.type;
  }
}

/** The commands that may start now. Pure: the same state and time give the same commands. */
export function planCommands(state: SessionState, nowMs: number): readonly Command[] {
  if (state.pausedUntilMs !== undefined && nowMs < state.pausedUntilMs) {
    return [];
  }
  return wantedCommands(state, nowMs).filter((command) => !state.inFlight.includes(commandKey(command)));
}

function wantedCommands(state: SessionState, nowMs: number): readonly Command[] {
  switch (state.phase) {
    case 'opening':
      return [{ type: 'open-session' }];
    case 'idle':
      return [...settleCommands(state, nowMs), ...storeCommands(state)];
    case 'turn':
      return state.turn === undefined
        ? []
        : [...turnCommands(state, state.turn), ...settleCommands(state, nowMs), ...storeCommands(state)];
    case 'closing':
      return [closeSession(state)];
    case 'closed':
    case 'blocked':
      return [];
  }
}

function closeSession({ closeReason, task }: SessionState): Command {
  const textOfTurn = task?.returnText === true ? task.ended?.turn : undefined;
  return {
    type: 'close-session',
    reason: closeReason ?? (task === undefined ? 'idle' : 'task_ended'),
    ...(textOfTurn === undefined ? {} : { textOfTurn }),
  };
}

function turnCommands(state: SessionState, turn: TurnState): readonly Command[] {
  switch (turn.step) {
    case 'model':
      return [{ type: 'call-model', input: callModelInput(state, turn) }];
    case 'calls':
      return [
        ...turn.calls.filter((call) => call.step === 'lost').map(settleCall),
        ...startableCalls(turn.calls).map((call) => runCall(state, call)),
      ];
    case 'ending':
      return endingCommands(state, turn);
  }
}

/** Nothing that has started is abandoned: the turn ends when all of it is over, and its decisions are settled. */
function endingCommands(state: SessionState, turn: TurnState): readonly Command[] {
  if (turn.unsettled.length > 0) {
    return turn.unsettled.map((callId) => ({ type: 'settle-call', callId }));
  }
  return state.inFlight.length > 0 ? [] : [{ type: 'end-turn', input: endTurnInput(state, turn) }];
}

function settleCall(call: CallState): Command {
  return { type: 'settle-call', callId: call.callId };
}

function runCall(state: SessionState, call: CallState): Command {
  return {
    type: 'run-call',
    tool: call.tool,
    timeoutMs: call.timeoutMs,
    input: {
      v: 1,
      callId: call.callId,
      argumentsDigest: call.argumentsDigest,
      ...(call.approvalId === undefined ? {} : { approvalId: call.approvalId }),
      ...lastOf(state),
    },
  };
}

function callModelInput(state: SessionState, turn: TurnState): CallModelInput {
  const answers = answersOf(turn);
  return {
    v: 1,
    turn: turn.number,
    round: turn.round,
    ...(turn.messages.length === 0 ? {} : { messages: turn.messages }),
    ...(answers.length === 0 ? {} : { answers }),
    ...(state.inject.length === 0 ? {} : { inject: state.inject }),
    ...(turn.final === undefined ? {} : { final: turn.final }),
    limitMs: Math.max(0, state.limits.activeMsPerTurn - turn.activeMs),
    ...lastOf(state),
  };
}

function endTurnInput(state: SessionState, turn: TurnState): EndTurnInput {
  const answers = answersOf(turn);
  // No turn follows in a task: what it has not read is dropped. Messages that a lost reply had read are known to the log.
  const unread = state.task === undefined ? [] : [...turn.messages, ...state.queue].filter(isNotOpening(turn));
  const discard = [...(turn.ending?.discard ?? []), ...unread];
  return {
    v: 1,
    turn: turn.number,
    ...(turn.opening === undefined ? {} : { opening: turn.opening }),
    outcome: turn.ending?.outcome ?? 'failed',
    ...(turn.ending?.code === undefined ? {} : { code: turn.ending.code }),
    rounds: turn.round,
    calls: turn.callCount,
    activeMs: turn.activeMs,
    ...(answers.length === 0 ? {} : { answers }),
    ...(discard.length === 0 ? {} : { discard }),
    ...lastOf(state),
  };
}

function isNotOpening({ opening }: TurnState): (message: QueuedMessage) => boolean {
  return ({ messageId }) => messageId !== opening?.messageId;
}

function answersOf(turn: TurnState): readonly WorkflowAnswer[] {
  return turn.calls
    .filter((call) => call.skipped === true)
    .map((call) => ({ callId: call.callId, status: 'skipped' as const }));
}

function storeCommands(state: SessionState): readonly Command[] {
  const messages = textsToStore(state);
  return messages.length === 0 ? [] : [{ type: 'store-messages', input: { v: 1, messages, ...lastOf(state) } }];
}

/** One settlement at a time: decisions of one session are few, and their order stays plain. */
function settleCommands(state: SessionState, nowMs: number): readonly Command[] {
  if (state.turn?.step === 'ending' && state.turn.unsettled.length === 0) {
    return [];
  }
  const questions = openQuestions(state);
  const isOpen = ({ approvalId }: PendingDecisions) => questions.some((question) => question.approvalId === approvalId);
  // Open questions first: a flood about others must not delay a genuine decision.
  const pending = state.decisions.find(isOpen) ?? state.decisions[0];
  const expired = questions.find((question) => question.expiresAtMs <= nowMs);
  const approvalId = pending !== undefined && isOpen(pending) ? pending.approvalId : (expired ?? pending)?.approvalId;
  if (approvalId === undefined) {
    return [];
  }
  const sent = pending?.approvalId === approvalId ? pending : undefined;
  return [{ type: 'settle-approval', input: settleInput(state, approvalId, sent, nowMs) }];
}

function settleInput(
  state: SessionState,
  approvalId: string,
  pending: PendingDecisions | undefined,
  nowMs: number,
): SettleApprovalInput {
  const now = new Date(nowMs).toISOString();
  const question = openQuestions(state).find((candidate) => candidate.approvalId === approvalId);
  const isExpired = question !== undefined && question.expiresAtMs <= nowMs;
  return {
    v: 1,
    approvalId,
    candidates: pending?.candidates ?? [],
    ...(isExpired ? { expiredAt: now } : {}),
    now,
    ...lastOf(state),
  };
}

/**
 * Workflow time at which something falls due by itself, or undefined when nothing does. What is due already is planned
 * or under way, and its result wakes the session; a timer for it would only spin.
 */
export function nextWakeMs(state: SessionState, nowMs: number): number | undefined {
  if (state.phase === 'blocked' || state.phase === 'closed') {
    return undefined;
  }
  if (state.pausedUntilMs !== undefined) {
    return state.pausedUntilMs;
  }
  const times = openQuestions(state)
    .map((question) => question.expiresAtMs)
    .filter((timeMs) => timeMs > nowMs);
  if (state.phase === 'idle' && state.questions.length === 0 && state.decisions.length === 0) {
    times.push(state.idleSinceMs + state.limits.idleMs);
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

function lastOf(state: SessionState): { last: NonNullable<SessionState['last']> } | Record<string, never> {
  return state.last === undefined ? {} : { last: state.last };
}
