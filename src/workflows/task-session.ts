/**
 * What is different about a task: it has one turn, closes, and returns how that turn ended. Every message that comes
 * during the turn joins it. Once the turn is over nothing opens the session again: a run that is started for it later,
 * by a parent that was reset for one, returns what the store holds.
 */
import type { SessionOpened, TurnEnded } from '../core/activity-contracts';
import type { TaskResult } from './agent-session-api';
import type { SessionState } from './agent-session-state';

/** The run ends and fails with an error code. */
export function failed(state: SessionState, failedCode: string): SessionState {
  return { ...state, phase: 'closed', failedCode };
}

/** The session is open: its row says whether it is a task, and whether its turn is over. */
export function openTask(state: SessionState, { task, inbox }: SessionOpened): SessionState {
  const { options: _stored, startedWith, ...opened } = state;
  if (task === undefined) {
    return opened;
  }
  if (task.ended === undefined) {
    return { ...opened, task: opened.task ?? {} };
  }
  const { messageId: openedWith, ...ended } = task.ended;
  if (startedWith !== undefined && startedWith !== openedWith) {
    return failed(opened, 'session_closed');
  }
  const known = new Set([startedWith, ...inbox.map(({ messageId }) => messageId)]);
  const late = state.queue.filter(({ messageId }) => !known.has(messageId));
  return {
    ...opened,
    queue: [],
    droppedSignals: state.droppedSignals + late.length,
    task: { ...opened.task, ended },
  };
}

/** True for a task that takes no more messages: its turn ends, or has ended. */
export function isTaskOver({ task, turn }: SessionState): boolean {
  return task !== undefined && (task.ended !== undefined || turn?.ending !== undefined);
}

/** The turn of a task is over: what is still queued was dropped with it. */
export function endTask(
  state: SessionState,
  turn: number,
  { outcome, code }: Extract<TurnEnded, { readonly status: 'ended' }>,
): SessionState {
  if (state.task === undefined) {
    return state;
  }
  const ended = { turn, outcome, ...(code === undefined ? {} : { code }) };
  return { ...state, queue: [], task: { ...state.task, ended } };
}

/** What a task returns; undefined for a conversation. */
export function taskResultOf({ task, last }: SessionState, sessionId: string): TaskResult | undefined {
  if (task?.ended === undefined) {
    return undefined;
  }
  const { outcome, code } = task.ended;
  return {
    v: 1,
    sessionId,
    outcome,
    ...(code === undefined ? {} : { code }),
    lastSeq: last?.[0] ?? 0,
    ...(task.text === undefined ? {} : { text: task.text }),
  };
}
