import type { SessionClosed } from '../core/activity-contracts';
import type { SessionState } from './agent-session-state';
import {
  applyApprovalSettled,
  applyCallFinished,
  applyCallSettled,
  applyMessagesStored,
  applyOpened,
  applyReplied,
  applyTurnEnded,
} from './apply-result';
import { type Command, commandKey } from './plan-commands';
import { proceed } from './proceed';
import { lookForMissed, receiveCancel, receiveDecision, receiveMessage } from './receive-signal';
import type { CommandResult, SessionEvent } from './session-event';
import { failed } from './task-session';

/** Codes of outages: the command is repeated later, with growing pauses. */
const OUTAGE_CODES: readonly string[] = ['store_unavailable', 'temporal_unavailable'];
/** Codes that say the log and this run disagree: nothing runs until somebody repairs the session. */
const BLOCKING_CODES: readonly string[] = [
  'fenced',
  'log_behind',
  'log_conflict',
  'log_format_newer',
  'session_erased',
  'unknown_session',
];
/** Codes that say that what the start asks for can't be. */
const START_CODES: readonly string[] = ['invalid_start'];
/** The same for a task: its parent waits for an answer, which a blocked session never gives. */
const TASK_START_CODES: readonly string[] = [...START_CODES, 'unknown_session', 'session_erased'];
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** The state after an event. Pure; `nowMs` is workflow time. */
export function advanceSession(state: SessionState, event: SessionEvent, nowMs: number): SessionState {
  return lookForMissed(state, proceed(applyCancelOnOpen(applyEvent(state, event, nowMs))));
}

function applyEvent(state: SessionState, event: SessionEvent, nowMs: number): SessionState {
  switch (event.type) {
    case 'message':
      return receiveMessage(state, event.message);
    case 'decide':
      return receiveDecision(state, event.signal);
    case 'cancel':
      return receiveCancel(state, event.signal);
    case 'close':
      return state.closeReason === undefined ? { ...state, closeReason: event.reason, hasWorked: true } : state;
    case 'dropped-signal':
      return { ...state, droppedSignals: state.droppedSignals + 1 };
    case 'time':
      return applyTime(state, nowMs);
    case 'command-started':
      return applyStarted(state, event.command);
    default:
      return applyResult(finished(state, event.command), event, nowMs);
  }
}

/** A pause that is over ends; a session without anything to do for long enough closes. */
function applyTime(state: SessionState, nowMs: number): SessionState {
  const { pausedUntilMs, ...rest } = state;
  const awake = pausedUntilMs !== undefined && nowMs >= pausedUntilMs ? rest : state;
  const isIdle = awake.phase === 'idle' && awake.questions.length === 0 && awake.decisions.length === 0;
  return isIdle && nowMs >= awake.idleSinceMs + awake.limits.idleMs ? { ...awake, closeReason: 'idle' } : awake;
}

function applyStarted(state: SessionState, command: Command): SessionState {
  const started = { ...state, inFlight: [...state.inFlight, commandKey(command)] };
  if (command.type === 'run-call' && state.turn !== undefined) {
    return { ...started, turn: { ...state.turn, calls: withStep(state, command.input.callId, 'running') } };
  }
  if (command.type === 'settle-approval') {
    return {
      ...started,
      decisions: state.decisions.map((pending) =>
        pending.approvalId === command.input.approvalId
          ? { ...pending, sent: pending.candidates.length, wake: false }
          : pending,
      ),
    };
  }
  return started;
}

function finished(state: SessionState, command: Command): SessionState {
  const key = commandKey(command);
  return { ...state, inFlight: state.inFlight.filter((other) => other !== key) };
}

function applyResult(state: SessionState, event: CommandResult, nowMs: number): SessionState {
  if (event.type === 'command-failed') {
    return applyFailure(state, event.command, event.code, nowMs);
  }
  const worked = { ...state, pauses: 0, hasWorked: true };
  switch (event.type) {
    case 'opened':
      return { ...applyOpened(worked, event.result, nowMs), hasWorked: state.hasWorked };
    case 'replied':
      return applyReplied(worked, event.result);
    case 'call-finished':
      return event.command.type === 'run-call'
        ? applyCallFinished(worked, event.command.input.callId, event.result)
        : worked;
    case 'call-settled':
      return event.command.type === 'settle-call'
        ? applyCallSettled(worked, event.command.callId, event.result)
        : worked;
    case 'approval-settled':
      return applyApprovalSettled(worked, event.command, event.result);
    case 'messages-stored':
      return event.command.type === 'store-messages'
        ? applyMessagesStored(worked, event.command.input, event.result)
        : worked;
    case 'turn-ended':
      return applyTurnEnded(worked, event.command, event.result, nowMs);
    case 'closed':
      return applyClosed(worked, event.result);
  }
}

/** Messages that came while the session was closing reopen it; a task is never reopened. */
function applyClosed(state: SessionState, { text, last = state.last }: SessionClosed): SessionState {
  if (state.task !== undefined) {
    const task = { ...state.task, ...(text === undefined ? {} : { text }) };
    return { ...state, phase: 'closed', task, ...(last === undefined ? {} : { last }) };
  }
  if (state.queue.length === 0 && state.decisions.length === 0) {
    return { ...state, phase: 'closed' };
  }
  const { closeReason: _done, ...rest } = state;
  return { ...rest, phase: 'opening' };
}

function applyFailure(state: SessionState, command: Command, code: string, nowMs: number): SessionState {
  if (OUTAGE_CODES.includes(code)) {
    return paused(undone(state, command), nowMs);
  }
  const startCodes = state.task === undefined ? START_CODES : TASK_START_CODES;
  if (command.type === 'open-session' && startCodes.includes(code)) {
    return failed(state, code);
  }
  if (BLOCKING_CODES.includes(code)) {
    return { ...undone(state, command), phase: 'blocked', blockedCode: code };
  }
  const turn = state.turn;
  if (command.type === 'call-model' && turn !== undefined) {
    return turn.ending !== undefined ? state : { ...state, turn: { ...turn, step: 'ending', ending: endingOf(code) } };
  }
  if (command.type === 'run-call' && turn !== undefined) {
    return { ...state, turn: { ...turn, calls: withStep(state, command.input.callId, 'lost') } };
  }
  return paused(undone(state, command), nowMs);
}

/** Puts back what the start of a command had taken, so that it is planned again. */
function undone(state: SessionState, command: Command): SessionState {
  if (command.type === 'run-call' && state.turn !== undefined) {
    return { ...state, turn: { ...state.turn, calls: withStep(state, command.input.callId, 'ready') } };
  }
  if (command.type === 'settle-approval') {
    return {
      ...state,
      decisions: state.decisions.map((pending) =>
        pending.approvalId === command.input.approvalId ? { ...pending, sent: 0, wake: true } : pending,
      ),
    };
  }
  return state;
}

function paused(state: SessionState, nowMs: number): SessionState {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.pauses);
  return { ...state, pauses: state.pauses + 1, pausedUntilMs: nowMs + pauseMs };
}

function endingOf(code: string): NonNullable<NonNullable<SessionState['turn']>['ending']> {
  switch (code) {
    case 'active_time_over':
      return { outcome: 'timeout' };
    case 'agent_unavailable':
      return { outcome: 'blocked', code };
    default:
      return { outcome: 'failed', code };
  }
}

function withStep(
  state: SessionState,
  callId: string,
  step: 'ready' | 'running' | 'lost',
): NonNullable<SessionState['turn']>['calls'] {
  return (state.turn?.calls ?? []).map((call) => (call.callId === callId ? { ...call, step } : call));
}

/** A cancel that came before the session was open cancels the turn that was waiting to be opened. */
function applyCancelOnOpen(state: SessionState): SessionState {
  if (state.cancelOnOpen === undefined || state.phase === 'opening') {
    return state;
  }
  const { cancelOnOpen, ...rest } = state;
  return receiveCancel(proceed(rest), cancelOnOpen);
}
