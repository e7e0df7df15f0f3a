/**
 * Keeps the messages in a session's state small, however many come and however long they are: continue-as-new carries
 * the state whole, and the server takes no payload over 2 MiB. Texts that plain Temporal clients put into signals are
 * moved to the store once they are too much together; references over the budget are left to the store's inbox, and the
 * session reads them when it has worked off the others. Nothing is dropped.
 */
import type { QueuedMessage } from '../core/activity-contracts';
import type { SessionState } from './agent-session-state';

/** Characters of JSON the queue may have, and as many again the messages handed to one model call. */
const QUEUE_CHARACTERS = 65_536;
/** Characters of all messages a run may hand to the next one; a character has at most six bytes as JSON. */
const CARRIED_CHARACTERS = 3 * QUEUE_CHARACTERS;
/** Names, quotes and mode of one message. */
const FRAME_CHARACTERS = 60;
/** Texts moved to the store in one step. */
const STORED_AT_ONCE = 50;

/** Adds a message, or notes that the store holds one that the queue has no room for. */
export function queueMessage(state: SessionState, message: QueuedMessage): SessionState {
  // Behind one that was left to the store, later ones have to wait there too.
  const isLeft =
    message.content === undefined &&
    (state.moreStored === true || charactersOf([...state.queue, message]) > QUEUE_CHARACTERS);
  return isLeft ? { ...state, moreStored: true } : { ...state, queue: [...state.queue, message] };
}

/** Messages whose texts have to go to the store now; none while the queue is small. */
export function textsToStore({ queue }: SessionState): readonly QueuedMessage[] {
  return charactersOf(queue) > QUEUE_CHARACTERS ? queue.filter(hasText).slice(0, STORED_AT_ONCE) : [];
}

/** The store holds these texts now. */
export function withoutTexts(state: SessionState, stored: readonly QueuedMessage[]): SessionState {
  const ids = new Set(stored.map((message) => message.messageId));
  const queue = state.queue.map(({ content, ...message }) =>
    content === undefined || ids.has(message.messageId) ? message : { ...message, content },
  );
  return withinBudget({ ...state, queue });
}

/** Leaves references at the end of the queue to the store, as far as it is too long. */
export function withinBudget(state: SessionState): SessionState {
  const fitting = new Set(firstThatFit(state.queue, QUEUE_CHARACTERS));
  const queue = state.queue.filter((message) => fitting.has(message) || hasText(message));
  return queue.length === state.queue.length ? state : { ...state, queue, moreStored: true };
}

/** The messages that may join a model call that has some already; the others join a later one. */
export function joinable(
  candidates: readonly QueuedMessage[],
  joined: readonly QueuedMessage[],
): readonly QueuedMessage[] {
  return firstThatFit(candidates, QUEUE_CHARACTERS - charactersOf(joined));
}

/** False while the state is too large for continue-as-new. */
export function canCarryMessages({ queue, turn }: SessionState): boolean {
  const messages = [...queue, ...(turn?.messages ?? []), ...(turn?.ending?.discard ?? [])];
  return charactersOf(messages) <= CARRIED_CHARACTERS;
}

function firstThatFit(messages: readonly QueuedMessage[], characters: number): readonly QueuedMessage[] {
  let total = 0;
  const end = messages.findIndex((message) => {
    total += charactersOf([message]);
    return total > characters;
  });
  return end === -1 ? messages : messages.slice(0, end);
}

function charactersOf(messages: readonly QueuedMessage[]): number {
  return messages.reduce(
    (sum, { messageId, principal = '', content = '' }) =>
      sum + FRAME_CHARACTERS + messageId.length + principal.length + content.length,
    0,
  );
}

function hasText(message: QueuedMessage): boolean {
  return message.content !== undefined;
}
