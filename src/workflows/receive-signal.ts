import type { QueuedMessage } from '../core/activity-contracts';
import type { DecisionCandidate } from '../core/approvals';
import type { PendingDecisions, SessionState } from './agent-session-state';
import { queueMessage } from './message-queue';
import { openQuestions } from './open-questions';
import type { CancelSignal, DecideSignal } from './read-signal';
import { isTaskOver } from './task-session';

const SEEN_MESSAGES = 100;
const CANDIDATES_PER_APPROVAL = 100;
const CANDIDATES_PER_SESSION = 1_000;
/** Characters of all candidates; a character has at most six bytes as JSON. */
const CANDIDATE_CHARACTERS = 65_536;

/**
 * Queues a message, unless its id was seen already. A known one that comes again raises a doubt: the store may have been
 * restored from an older copy and lack it. A session at rest opens once more then, which compares the two. A task that
 * is over takes none.
 */
export function receiveMessage(state: SessionState, message: QueuedMessage): SessionState {
  if (isTaskOver(state)) {
    return { ...state, droppedSignals: state.droppedSignals + 1 };
  }
  if (state.seenMessages.includes(message.messageId)) {
    return state.phase === 'idle' ? { ...state, phase: 'opening' } : state;
  }
  return {
    ...queueMessage(state, message),
    hasWorked: true,
    seenMessages: [...state.seenMessages, message.messageId].slice(-SEEN_MESSAGES),
  };
}

/**
 * Queues a decision; only the store takes it. A flood can't push out a genuine one: what is over the caps is counted and
 * dropped, and the store's own inbox, where gateways write, is looked at first by every settlement.
 */
export function receiveDecision(state: SessionState, { approvalId, candidate }: DecideSignal): SessionState {
  const known = state.decisions.find((decisions) => decisions.approvalId === approvalId);
  const isOpen = openQuestions(state).some((question) => question.approvalId === approvalId);
  const isNoted = candidate === undefined && (isOpen || known !== undefined);
  if (!isNoted && !hasRoom(state, known, isOpen, candidate)) {
    const dropped = { ...state, droppedSignals: state.droppedSignals + 1 };
    return candidate === undefined ? { ...dropped, missedDecision: true } : dropped;
  }
  const before: PendingDecisions = known ?? { approvalId, candidates: [], sent: 0, wake: false };
  const after: PendingDecisions =
    candidate === undefined ? { ...before, wake: true } : { ...before, candidates: [...before.candidates, candidate] };
  return {
    ...state,
    hasWorked: true,
    decisions: [...state.decisions.filter((decisions) => decisions !== known), after],
  };
}

/** What is about no question we know of gets half of the room, so that a flood of it keeps out nothing else. */
function hasRoom(
  { decisions }: SessionState,
  known: PendingDecisions | undefined,
  isOpen: boolean,
  candidate: DecisionCandidate | undefined,
): boolean {
  const share = isOpen ? 1 : 0.5;
  const most = share * CANDIDATES_PER_SESSION;
  // The cheap questions first: a flood asks them thousands of times in one workflow task.
  if (decisions.length >= most || (known?.candidates.length ?? 0) >= CANDIDATES_PER_APPROVAL) {
    return false;
  }
  if (decisions.reduce((sum, { candidates }) => sum + Math.max(1, candidates.length), 0) >= most) {
    return false;
  }
  const queued = decisions.flatMap(({ candidates }) => candidates);
  const added = candidate === undefined ? [] : [candidate];
  return charactersOf([...queued, ...added]) <= share * CANDIDATE_CHARACTERS;
}

function charactersOf(candidates: readonly DecisionCandidate[]): number {
  return candidates.reduce((sum, candidate) => {
    const { decision, decisionId = '', argumentsDigest = '', principal = '', comment = '' } = candidate;
    return sum + decision.length + decisionId.length + argumentsDigest.length + principal.length + comment.length;
  }, 0);
}

/** Has the store asked about questions that came up behind a decision for which there was no room. */
export function lookForMissed(before: SessionState, after: SessionState): SessionState {
  const isSameQuestions = after.turn === before.turn && after.questions === before.questions;
  if (after.missedDecision !== true || isSameQuestions) {
    return after;
  }
  const known = new Set([...openQuestions(before), ...after.decisions].map(({ approvalId }) => approvalId));
  const added = openQuestions(after).filter(({ approvalId }) => !known.has(approvalId));
  const wakes = added.map(({ approvalId }) => ({ approvalId, candidates: [], sent: 0, wake: true }));
  return { ...after, decisions: [...after.decisions, ...wakes] };
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
