import type {
  ApprovalSettled,
  Ask,
  CallModelResult,
  CallSettled,
  MessagesStored,
  SessionOpened,
  StoreMessagesInput,
  ToolCallResult,
  TurnEnded,
} from '../core/activity-contracts';
import { laterPosition } from '../core/entries';
import {
  type CallState,
  callsOf,
  newTurn,
  type Question,
  type SessionState,
  type TurnState,
} from './agent-session-state';
import { withinBudget, withoutTexts } from './message-queue';
import type { Command } from './plan-commands';
import { endTask, openTask } from './task-session';

const SETTLED_EARLY = 100;

/** The session is open: what the store knows joins what signals brought. */
export function applyOpened(state: SessionState, result: SessionOpened, nowMs: number): SessionState {
  const stored = new Set(result.inbox.map((message) => message.messageId));
  const openTurn = result.openTurn;
  // The store's order counts, since signals may overtake each other; what opened a turn before opens no second one.
  const queue = [...result.inbox, ...state.queue.filter((message) => !stored.has(message.messageId))].filter(
    (message) => message.messageId !== openTurn?.messageId,
  );
  const questions = result.approvals.map((approval) => ({
    approvalId: approval.approvalId,
    kind: approval.kind,
    expiresAtMs: Date.parse(approval.expiresAt),
  }));
  const opened: SessionState = withinBudget({
    ...state,
    phase: 'idle',
    idleSinceMs: nowMs,
    nextTurn: result.nextTurn,
    limits: result.limits,
    queue,
    ...(result.more === true ? { moreStored: true as const } : {}),
    questions: questions.filter((question) => question.kind === 'outcome'),
    decisions: [
      ...state.decisions,
      ...questions
        .filter((question) => !state.decisions.some((decisions) => decisions.approvalId === question.approvalId))
        .map((question) => ({ approvalId: question.approvalId, candidates: [], sent: 0, wake: true })),
    ],
    ...lastOf(state, result.last),
  });
  const known = openTask(opened, result);
  if (openTurn === undefined) {
    return known;
  }
  const turn = newTurn(openTurn.turn, { messageId: openTurn.messageId, mode: 'followup' });
  const ending = openTurn.interrupted === true ? interruptedTurn(turn) : turn;
  return { ...known, phase: 'turn', nextTurn: openTurn.turn, turn: ending };
}

function interruptedTurn(turn: TurnState): TurnState {
  return { ...turn, step: 'ending', ending: { outcome: 'interrupted' } };
}

/** A reply is in the log. */
export function applyReplied(state: SessionState, result: CallModelResult): SessionState {
  const turn = state.turn;
  if (turn === undefined) {
    return state;
  }
  const moved = { ...state, ...lastOf(state, result.last) };
  if (result.known === true) {
    const { turn: _dropped, ...rest } = moved;
    return { ...rest, phase: 'idle', queue: [...turn.messages.slice(1), ...state.queue] };
  }
  const { opening: _confirmed, ...confirmed } = turn;
  const calls = callsOf(result.calls).map((call) => withEarlySettlement(state, call));
  const next: TurnState = {
    ...confirmed,
    messages: [],
    calls,
    callCount: turn.callCount + calls.length,
    activeMs: turn.activeMs + result.activeMs,
    step: turn.ending === undefined ? 'calls' : 'ending',
  };
  const limits = result.limits ?? state.limits;
  const replied = { ...moved, limits, inject: [], turn: next };
  if (turn.ending !== undefined || calls.length > 0) {
    return replied;
  }
  const ending = endingOfFinish(result.finish);
  return ending === undefined ? replied : { ...replied, turn: { ...next, step: 'ending', ending } };
}

/** A reply that was cut or withheld is no answer, whatever text it has. */
function endingOfFinish(finish: CallModelResult['finish']): TurnState['ending'] {
  switch (finish) {
    case 'max-tokens':
      return { outcome: 'max_tokens' };
    case 'content-filter':
      return { outcome: 'failed', code: 'model_content_filter' };
    default:
      return undefined;
  }
}

/** A call ran, or has to be asked about (again). */
export function applyCallFinished(state: SessionState, callId: string, result: ToolCallResult): SessionState {
  if (result.status === 'superseded') {
    return holdCall(state, callId, result.ask, result);
  }
  return answerCall(state, callId, result.characters, result);
}

/** What became of a call whose activity failed. */
export function applyCallSettled(state: SessionState, callId: string, result: CallSettled): SessionState {
  const answered = answerCall(state, callId, result.characters, { activeMs: 0, last: result.last });
  const withoutUnsettled = mapTurn(answered, (turn) => ({
    ...turn,
    unsettled: turn.unsettled.filter((unsettled) => unsettled !== callId),
  }));
  // The call is answered as unknown and the turn goes on; a human's answer reaches the model in a later turn.
  return result.ask === undefined
    ? withoutUnsettled
    : { ...withoutUnsettled, questions: [...withoutUnsettled.questions, questionOf(result.ask)] };
}

/** The texts of queued messages are in the store. */
export function applyMessagesStored(
  state: SessionState,
  { messages }: StoreMessagesInput,
  result: MessagesStored,
): SessionState {
  return { ...withoutTexts(state, messages), ...lastOf(state, result.last) };
}

/** A settlement came back: what it sent is done with, and the stored status rules. */
export function applyApprovalSettled(state: SessionState, command: Command, result: ApprovalSettled): SessionState {
  if (command.type !== 'settle-approval') {
    return state;
  }
  const approvalId = command.input.approvalId;
  const decisions = state.decisions.flatMap((pending) => {
    if (pending.approvalId !== approvalId) {
      return [pending];
    }
    const candidates = pending.candidates.slice(pending.sent);
    return candidates.length === 0 && !pending.wake ? [] : [{ ...pending, candidates, sent: 0 }];
  });
  const settled = { ...state, decisions, ...lastOf(state, result.last) };
  const approval = result.approval;
  if (approval === undefined || approval === 'pending') {
    return settled;
  }
  return adoptSettlement(settled, { approvalId, approval, answered: result.answered === true });
}

function adoptSettlement(state: SessionState, settlement: SessionState['settledEarly'][number]): SessionState {
  const { approvalId } = settlement;
  if (state.turn?.calls.some((call) => call.approvalId === approvalId) === true) {
    return mapTurn(state, (turn) => ({
      ...turn,
      decided: turn.decided + 1,
      calls: turn.calls.map((call) =>
        call.approvalId === approvalId && call.step === 'held' ? settledCall(call, settlement, turn.decided) : call,
      ),
    }));
  }
  if (state.questions.some((question) => question.approvalId === approvalId)) {
    return {
      ...state,
      questions: state.questions.filter((question) => question.approvalId !== approvalId),
      inject: [...state.inject, approvalId],
      idleSinceMs: state.idleSinceMs,
    };
  }
  return { ...state, settledEarly: [...state.settledEarly, settlement].slice(-SETTLED_EARLY) };
}

/** Decisions come behind every direct call of the round, in the order they were taken. */
function settledCall(call: CallState, settlement: SessionState['settledEarly'][number], decided: number): CallState {
  if (settlement.approval === 'approved' && !settlement.answered) {
    return { ...call, step: 'ready', order: 1_000 + decided };
  }
  return { ...call, step: 'answered' };
}

function withEarlySettlement(state: SessionState, call: CallState): CallState {
  const settlement = state.settledEarly.find((early) => early.approvalId === call.approvalId);
  const place = state.settledEarly.findIndex((early) => early.approvalId === call.approvalId);
  return settlement === undefined || call.step !== 'held' ? call : settledCall(call, settlement, place);
}

/** The turn is over, or calls that started have no result yet. */
export function applyTurnEnded(state: SessionState, command: Command, result: TurnEnded, nowMs: number): SessionState {
  const turn = state.turn;
  const moved = { ...state, ...lastOf(state, result.last) };
  if (turn === undefined || command.type !== 'end-turn') {
    return moved;
  }
  if (result.status === 'unsettled') {
    const unsettled = result.unsettled.map((call) => call.callId);
    return { ...moved, turn: { ...turn, unsettled } };
  }
  // Messages handed to a model call that never replied go back to the queue; known ones are skipped by the store.
  const handedBack = turn.messages.filter((message) => message.messageId !== turn.opening?.messageId);
  const { turn: _ended, ...rest } = moved;
  const ended: SessionState = {
    ...rest,
    phase: 'idle',
    idleSinceMs: nowMs,
    nextTurn: turn.number + 1,
    queue: [...handedBack, ...state.queue],
  };
  return endTask(ended, turn.number, result);
}

function holdCall(
  state: SessionState,
  callId: string,
  ask: Ask,
  result: { readonly activeMs: number; readonly last: SessionState['last'] },
): SessionState {
  const question = questionOf(ask);
  const held = mapTurn(state, (turn) => ({
    ...turn,
    activeMs: turn.activeMs + result.activeMs,
    calls: turn.calls.map((call) =>
      call.callId === callId
        ? withEarlySettlement(state, {
            ...call,
            step: 'held' as const,
            approvalId: question.approvalId,
            kind: question.kind,
            expiresAtMs: question.expiresAtMs,
            argumentsDigest: ask.argumentsDigest,
          })
        : call,
    ),
  }));
  return { ...held, ...lastOf(state, result.last) };
}

function answerCall(
  state: SessionState,
  callId: string,
  characters: number,
  result: { readonly activeMs: number; readonly last: SessionState['last'] },
): SessionState {
  const answered = mapTurn(state, (turn) => ({
    ...turn,
    activeMs: turn.activeMs + result.activeMs,
    resultCharacters: turn.resultCharacters + characters,
    calls: turn.calls.map((call) => (call.callId === callId ? { ...call, step: 'answered' as const } : call)),
  }));
  return { ...answered, ...lastOf(state, result.last) };
}

function questionOf(ask: Ask): Question {
  return { approvalId: ask.approvalId, kind: ask.kind, expiresAtMs: Date.parse(ask.expiresAt) };
}

function mapTurn(state: SessionState, change: (turn: TurnState) => TurnState): SessionState {
  return state.turn === undefined ? state : { ...state, turn: change(state.turn) };
}

function lastOf(state: SessionState, last: SessionState['last']): Pick<SessionState, 'last'> | Record<string, never> {
  const later = laterPosition(state.last, last);
  return later === undefined ? {} : { last: later };
}
