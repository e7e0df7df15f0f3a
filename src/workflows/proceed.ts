import type { QueuedMessage } from '../core/activity-contracts';
import type { TurnOutcome } from '../core/sessions';
import { newTurn, type SessionState, type TurnState } from './agent-session-state';
import { joinable } from './message-queue';
import { failed } from './task-session';

/** Moves a session as far as it gets without asking anybody. */
export function proceed(state: SessionState): SessionState {
  switch (state.phase) {
    case 'idle':
      return proceedIdle(state);
    case 'turn':
      return state.turn?.step === 'calls' ? proceedCalls(state, state.turn) : state;
    default:
      return state;
  }
}

/**
 * A followup or a steering message opens a turn; an injected one waits for a turn that somebody else opens, unless the
 * queue is so full of them that others wait in the store. In a task any message opens the one turn there is; when that
 * is over, decisions that came meanwhile are settled, and the session closes.
 */
function proceedIdle(state: SessionState): SessionState {
  const { task, queue } = state;
  if (task?.ended !== undefined) {
    return state.decisions.length > 0 ? state : { ...state, phase: 'closing' };
  }
  const opensWithAny = state.moreStored === true || task !== undefined;
  const opening = queue.find((message) => message.mode !== 'inject') ?? (opensWithAny ? queue[0] : undefined);
  if (opening !== undefined) {
    const turn = withSteering(state, newTurn(state.nextTurn, opening), opening);
    return { ...state, phase: 'turn', turn: turn.turn, queue: turn.queue };
  }
  if (task !== undefined) {
    return failed(state, 'invalid_start');
  }
  if (state.moreStored === true) {
    const { moreStored: _read, ...rest } = state;
    return { ...rest, phase: 'opening' };
  }
  if (state.closeReason !== undefined) {
    return { ...state, phase: 'closing' };
  }
  return state;
}

function proceedCalls(state: SessionState, turn: TurnState): SessionState {
  if (turn.resultCharacters > state.limits.resultCharactersPerTurn) {
    return proceedAnswered(state, skipReadyCalls(turn));
  }
  return proceedAnswered(state, turn);
}

/** Calls that have not begun are answered with the final instruction instead of being run. */
function skipReadyCalls(turn: TurnState): TurnState {
  return {
    ...turn,
    calls: turn.calls.map((call) =>
      call.step === 'ready' && call.isDirect ? { ...call, step: 'answered', skipped: true } : call,
    ),
  };
}

function proceedAnswered(state: SessionState, turn: TurnState): SessionState {
  if (turn.calls.some((call) => call.step !== 'answered')) {
    return turn === state.turn ? state : { ...state, turn };
  }
  const { turn: next, queue } = withSteering(state, turn);
  const isDone = turn.final !== undefined || (turn.calls.length === 0 && next.messages.length === 0);
  if (isDone) {
    return { ...state, turn: ended(turn, turn.final ?? 'completed') };
  }
  if (turn.activeMs >= state.limits.activeMsPerTurn) {
    return { ...state, turn: ended(turn, 'timeout') };
  }
  const final = reachedLimit(state, turn);
  return {
    ...state,
    queue,
    turn: { ...next, step: 'model', round: turn.round + 1, ...(final === undefined ? {} : { final }) },
  };
}

/** The limit that makes the next round the last one, without tools. */
function reachedLimit(state: SessionState, turn: TurnState): TurnOutcome | undefined {
  const { callsPerTurn, resultCharactersPerTurn, roundsPerTurn } = state.limits;
  if (turn.resultCharacters > resultCharactersPerTurn || turn.callCount >= callsPerTurn) {
    return 'max_calls';
  }
  return turn.round >= roundsPerTurn ? 'max_rounds' : undefined;
}

function ended(turn: TurnState, outcome: TurnOutcome): TurnState {
  return { ...turn, step: 'ending', ending: { outcome } };
}

/**
 * Steering and injected messages join the next round; followups keep waiting for a turn of their own, unless there will
 * be none. `opening` has left the queue.
 */
function withSteering(
  state: SessionState,
  turn: TurnState,
  opening?: QueuedMessage,
): { readonly turn: TurnState; readonly queue: readonly QueuedMessage[] } {
  const queue = state.queue.filter((message) => message !== opening);
  const joining = joinable(
    queue.filter((message) => message.mode !== 'followup' || state.task !== undefined),
    turn.messages,
  );
  return {
    turn: joining.length === 0 ? turn : { ...turn, messages: [...turn.messages, ...joining] },
    queue: queue.filter((message) => !joining.includes(message)),
  };
}
