import type {
  CloseSessionInput,
  EndTurnInput,
  MessagesStored,
  OpenSessionInput,
  QueuedMessage,
  SessionActivities,
  SessionClosed,
  SessionOpened,
  StepRefused,
  StoreMessagesInput,
  TurnEnded,
} from '../core/activity-contracts';
import { DEFAULT_LIMITS, narrowedLimits, wideningLimits } from '../core/limits';
import type { InboxMessage, OpenedSession } from '../core/ports/worker-store';
import { isStoppedByOperator, type RunDescription } from '../core/run-description';
import type { ActivityDependencies } from './activity-dependencies';
import type { ActivitySession } from './activity-session';
import { readLastText } from './last-text';
import { runLocalStep } from './local-step';
import { retryOutage } from './retry-outage';
import { withRunFence } from './run-fence';
import { isoNow, type SessionLog } from './session-log';
import { discardedMessages, openTurn, skippedResults, storeMessages } from './take-messages';

/** Makes the local activities that open and close a session and end its turns. */
export function createSessionActivities(
  dependencies: ActivityDependencies,
): Pick<SessionActivities, 'openSession' | 'storeMessages' | 'endTurn' | 'closeSession'> {
  return {
    openSession: (input) =>
      runLocalStep(dependencies, input.last, (_log, session) => openSession(dependencies, session, input)),
    storeMessages: (input) => runLocalStep(dependencies, input.last, (log) => putMessages(dependencies, log, input)),
    endTurn: (input) => runLocalStep(dependencies, input.last, (log) => endTurn(dependencies, log, input)),
    closeSession: (input) => runLocalStep(dependencies, input.last, (log) => closeSession(dependencies, log, input)),
  };
}

async function openSession(
  dependencies: ActivityDependencies,
  session: ActivitySession,
  { v: _version, last, ...start }: OpenSessionInput,
): Promise<SessionOpened> {
  const { store, feed, createsMissingRows, timing } = dependencies;
  const at = await isoNow(dependencies);
  const widening = wideningOf(dependencies, start);
  let wasStoppedByOperator = false;
  const onTakeOver = async (replacedRunId: string, ours: RunDescription): Promise<void> => {
    const replaced = await replacedRun(dependencies, session, replacedRunId);
    wasStoppedByOperator = replaced !== undefined && wasToStop(replaced, ours, start.mode === 'task');
  };
  const opened = await retryOutage(
    () =>
      withRunFence(
        dependencies,
        session,
        last,
        (fence) => store.openSession(fence, { ...start, widening, createRow: createsMissingRows, at }),
        onTakeOver,
      ),
    timing.storePatienceMs,
  );
  feed.publish({ ...session.key, type: 'committed' });
  return sessionOpened(dependencies, opened, wasStoppedByOperator);
}

/** Limits of the start that are wider than the agent's; none can be found where this worker lacks the agent. */
function wideningOf({ catalog }: ActivityDependencies, start: Pick<OpenSessionInput, 'agent' | 'limits'>) {
  const own = catalog.agents.get(start.agent)?.limits;
  return own === undefined ? [] : wideningLimits(own, start.limits ?? {});
}

/**
 * Whether somebody terminated or cancelled the run before. Its open turn is not walked again then: whoever stopped it
 * meant it. A reset ends a run the same way; the new run belongs to the same chain, and carries on. So does a run after
 * one that the server ended for its size, since nobody wanted that, and a task that takes the place of its own earlier
 * run: its parent was reset, and wants the same done once.
 */
function wasToStop(replaced: RunDescription, ours: RunDescription, isTask: boolean): boolean {
  const tookItsPlace = isTask && replaced.status === 'TERMINATED_BY_NEXT_RUN';
  const isSameChain = replaced.firstRunId !== undefined && replaced.firstRunId === ours.firstRunId;
  return isStoppedByOperator(replaced.status) && !isSameChain && !tookItsPlace;
}

/** The end of the chain that the run began: one that only waited has never written, and left no trace in the store. */
async function replacedRun(
  { temporal }: ActivityDependencies,
  session: ActivitySession,
  runId: string,
): Promise<RunDescription | undefined> {
  if (runId === '') {
    return undefined;
  }
  let run = await temporal.describeRun(session.workflowId, runId);
  while (run?.continuedAs !== undefined && run.continuedAs !== session.runId) {
    run = await temporal.describeRun(session.workflowId, run.continuedAs);
  }
  return run;
}

function sessionOpened(
  { catalog }: ActivityDependencies,
  opened: OpenedSession,
  wasStoppedByOperator: boolean,
): SessionOpened {
  const { agent, limits, task, lastTurn, openTurn, inbox, more, approvals, last } = opened;
  return {
    v: 1,
    status: 'opened',
    nextTurn: openTurn?.turn ?? lastTurn + 1,
    ...(openTurn === undefined
      ? {}
      : { openTurn: { ...openTurn, ...(wasStoppedByOperator ? { interrupted: true as const } : {}) } }),
    inbox: inbox.map(queuedMessage),
    ...(more ? { more: true as const } : {}),
    approvals,
    limits: narrowedLimits(catalog.agents.get(agent)?.limits ?? DEFAULT_LIMITS, limits),
    ...(task === undefined ? {} : { task }),
    ...(last === undefined ? {} : { last }),
  };
}

/** A stored message as the workflow knows it: by id, without its text. */
function queuedMessage({ messageId, mode, principal }: InboxMessage): QueuedMessage {
  return { messageId, mode, ...(principal === undefined ? {} : { principal }) };
}

async function putMessages(
  dependencies: ActivityDependencies,
  log: SessionLog,
  { messages }: StoreMessagesInput,
): Promise<MessagesStored> {
  const last = await storeMessages(log, messages, await isoNow(dependencies));
  return { v: 1, status: 'stored', ...(last === undefined ? {} : { last }) };
}

async function endTurn(dependencies: ActivityDependencies, log: SessionLog, input: EndTurnInput): Promise<TurnEnded> {
  const { logger } = dependencies;
  const { turn, opening, outcome, code, rounds, calls, activeMs, answers = [], discard = [] } = input;
  if (opening !== undefined && !(await openTurn(log, opening, turn, logger))) {
    // The message belongs to another turn or to none: there is nothing to end.
    return { v: 1, status: 'ended', outcome, last: log.last() ?? [0, ''] };
  }
  const at = await isoNow(dependencies);
  const storeInput = {
    turn,
    outcome,
    ...(code === undefined ? {} : { code }),
    rounds,
    calls,
    activeMs,
    answers: await skippedResults(log, answers),
    discards: await discardedMessages(log, discard, logger),
    at,
  };
  const ended = await log.write((store, fence) => store.endTurn(fence, storeInput));
  return { v: 1, ...ended };
}

async function closeSession(
  dependencies: ActivityDependencies,
  log: SessionLog,
  { reason, textOfTurn }: CloseSessionInput,
): Promise<SessionClosed | StepRefused> {
  const at = await isoNow(dependencies);
  const { last } = await log.write((store, fence) => store.closeSession(fence, { reason, at }));
  const text = textOfTurn === undefined ? {} : { text: await readLastText(log, textOfTurn) };
  return { v: 1, status: 'closed', ...text, ...(last === undefined ? {} : { last }) };
}
