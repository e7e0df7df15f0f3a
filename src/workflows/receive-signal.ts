import type { QueuedMessage } from '../core/activity-contracts';
import type { PendingDecisions, SessionState } from './agent-session-state';
import type { CancelSignal, DecideSignal } from './read-signal';

const SEEN_MESSAGES = 100;
const CANDIDATES_PER_APPROVAL = 100;
const CANDIDATES_PER_SESSION = 1_000;

/**
 * Queues a message, unless its id was seen already. A known one that comes again raises a doubt: the store may have been
 * restored from an older copy and lack it. A session at rest opens once more then, which compares the two.
 */
export function receiveMessage(state: SessionState, message: QueuedMessage): SessionState {
  if (state.seenMessages.includes(message.messageId)) {
    return state.phase === 'idle' ? { ...state, phase: 'opening' } : state;
  }
  return {
    ...state,
    hasWorked: true,
    queue: [...state.queue, message],
    seenMessages: [...state.seenMessages, message.messageId].slice(-SEEN_MESSAGES),
  };
}

/**
 * Queues a decision; only the store takes it. A flood can't push out a genuine one: what is over the caps is counted and
 * dropped, and the store's own inbox, where gateways write, is looked at first by every settlement.
 */
export function receiveDecision(state: SessionState, signal: DecideSignal): SessionState {
  const known = state.decisions.find((decisions) => decisions.approvalId === signal.approvalId);
  const total = state.decisions.reduce((sum, decisions) => sum + Math.max(1, decisions.candidates.length), 0);
  const isFull =
    signal.candidate !== undefined
      ? total >= CANDIDATES_PER_SESSION || (known?.candidates.length ?? 0) >= CANDIDATES_PER_APPROVAL
      : known === undefined && total >= 2 * CANDIDATES_PER_SESSION;
  if (isFull) {
    return { ...state, droppedSignals: state.droppedSignals + 1 };
  }
  const before: PendingDecisions = known ?? { approvalId: signal.approvalId, candidates: [], sent: 0, wake: false };
  const after: PendingDecisions =
    signal.candidate === undefined
      ? { ...before, wake: true }
      : { ...before, candidates: [...before.candidates, signal.candidate] };
  return {
    ...state,
    hasWorked: true,
    decisions: [...state.decisions.filter((decisions) => decisions !== known), after],
  };
}

/**
 * Cancels the open turn, and drops what is queued at this moment unless the queue is kept: a message that comes later is
 * about what to do instead. The first cause wins; a request that names another turn, or finds none, is dropped.
 */
export function receiveCancel(state: SessionState, signal: CancelSignal): SessionState {
  const turn = state.turn;
  if (turn === undefined) {
    return state.phase === 'opening' && state.cancelOnOpen === undefined ? { ...state, cancelOnOpen: signal } : state;
  }
  if (turn.ending !== undefined || (signal.turn !== undefined && signal.turn !== turn.number)) {
    return state;
  }
  return {
    ...state,
    hasWorked: true,
    queue: signal.keepQueue ? state.queue : [],
    turn: { ...turn, step: 'ending', ending: { outcome: 'cancelled', discard: signal.keepQueue ? [] : state.queue } },
  };
}
