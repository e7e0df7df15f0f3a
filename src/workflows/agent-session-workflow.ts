import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AgentSessionInput,
  type AgentSessionStatus,
  CANCEL_TURN_SIGNAL,
  CLOSE_SIGNAL,
  DECIDE_SIGNAL,
  MESSAGE_SIGNAL,
  STATUS_QUERY,
  type TaskResult,
} from './agent-session-api';
import { initialState, type SessionState } from './agent-session-state';
import { canCarryMessages } from './message-queue';
import { planCommands } from './plan-commands';
import {
  isCloseSignal,
  readCancelSignal,
  readDecideSignal,
  readMessageSignal,
  readSessionStart,
  type SessionStart,
} from './read-signal';
import { runCommand } from './run-command';
import type { SessionEvent } from './session-event';
import { type LoopWorld, SessionLoop } from './session-loop';
import { statusOf } from './status-of';
import { taskResultOf } from './task-session';
import { temporalActivities } from './temporal-activities';

/** A run that has done work and has more events than this continues as new before it waits for people. */
const PARK_SMALL_EVENTS = 200;
/** Why a session closed whose workflow Temporal was asked to cancel. */
const CANCELLED = 'cancelled';
/** The server takes 10,000 signals per run and suggests nothing about them. */
const SIGNALS_PER_RUN = 5_000;

/**
 * One session. `start` is an `AgentSessionInput`, checked by hand; `carried` is the state of the run before, when this
 * run continues it. A task returns how its one turn ended. Fails as `invalid_start` when the input names another session
 * than the workflow id, asks for what its agent or its row does not allow, or is a task without a message; a task fails as
 * `session_closed` when its turn has ended with another message, `unknown_session` or `session_erased`.
 */
export async function agentSession(start: unknown, carried?: SessionState): Promise<TaskResult | undefined> {
  const input = readSessionStart(start, workflowInfo().workflowId);
  if (input === undefined) {
    throw startFailure('invalid_start');
  }
  // Only a run that continues another one was handed a state by us.
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  const run = new SessionRun(isContinued && carried !== undefined ? carried : initialState(input, Date.now()));
  run.listen();
  const root = CancellationScope.current();
  // A cancel request from Temporal itself means: cancel the turn, then close.
  void root.cancelRequested.catch(() => run.stop());
  const state = await CancellationScope.nonCancellable(() => run.untilClosed(startOfNextRun(input)));
  if (state.failedCode !== undefined) {
    throw startFailure(state.failedCode);
  }
  // A run that was cancelled may have continued as new before it could close.
  if (root.consideredCancelled || state.closeReason === CANCELLED) {
    throw new CancelledFailure('The session was cancelled.');
  }
  return taskResultOf(state, input.sessionId);
}

/**
 * The input of a run that continues this one. A message is in the state already, and nobody else's members go on; what
 * else the start said is in the state or the store.
 */
function startOfNextRun({ tenant, sessionId, agent, options }: SessionStart): AgentSessionInput {
  return { v: 1, tenant, sessionId, agent, ...(options?.mode === undefined ? {} : { mode: options.mode }) };
}

/** Without a stack: it would write paths of the worker's machine into the history. */
function startFailure(code: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(code, code);
  failure.stack = '';
  return failure;
}

const world: LoopWorld = {
  nowMs: () => Date.now(),
  start: (command, state) => {
    const scope = new CancellationScope({ cancellable: true });
    return {
      result: scope.run(() => runCommand(command, state, temporalActivities)),
      cancel: () => scope.cancel(),
    };
  },
  waitUntil: async (isDone, timeoutMs) => {
    if (timeoutMs !== undefined) {
      return condition(isDone, timeoutMs);
    }
    await condition(isDone);
    return true;
  },
};

/** Brings what Temporal brings to the loop, and knows when a run has to end for the next one. */
class SessionRun {
  private readonly loop: SessionLoop;
  private signalCount = 0;

  constructor(state: SessionState) {
    this.loop = new SessionLoop(state, world);
  }

  /** Registers every handler before anything is awaited, so that no signal meets an empty place. */
  listen(): void {
    setHandler(defineSignal<[unknown]>(MESSAGE_SIGNAL), (payload) => {
      const message = readMessageSignal(payload);
      this.receive(message === undefined ? undefined : { type: 'message', message });
    });
    setHandler(defineSignal<[unknown]>(DECIDE_SIGNAL), (payload) => {
      const signal = readDecideSignal(payload);
      this.receive(signal === undefined ? undefined : { type: 'decide', signal });
    });
    setHandler(defineSignal<[unknown]>(CANCEL_TURN_SIGNAL), (payload) => {
      const signal = readCancelSignal(payload);
      this.receive(signal === undefined ? undefined : { type: 'cancel', signal });
    });
    setHandler(defineSignal<[unknown]>(CLOSE_SIGNAL), (payload) => {
      this.receive(isCloseSignal(payload) ? { type: 'close', reason: 'requested' } : undefined);
    });
    setDefaultSignalHandler(() => this.receive(undefined));
    setHandler(defineQuery<AgentSessionStatus>(STATUS_QUERY), () => statusOf(this.loop.state));
  }

  /** Cancels the open turn and closes the session. */
  stop(): void {
    this.loop.apply({ type: 'cancel', signal: { keepQueue: false } });
    this.loop.apply({ type: 'close', reason: CANCELLED });
  }

  /** Resolves to the state the session closed in. */
  async untilClosed(nextStart: AgentSessionInput): Promise<SessionState> {
    while (this.loop.state.phase !== 'closed') {
      await this.continueAsNewWhenDue(nextStart);
      await this.loop.step();
    }
    await condition(allHandlersFinished);
    return this.loop.state;
  }

  private receive(event: SessionEvent | undefined): void {
    this.signalCount += 1;
    this.loop.apply(event ?? { type: 'dropped-signal' });
  }

  /** Only at a quiescent point: nothing is under way, so what is carried is all there is, and it is small. */
  private async continueAsNewWhenDue(nextStart: AgentSessionInput): Promise<void> {
    const { state } = this.loop;
    if (state.inFlight.length > 0 || !allHandlersFinished() || !canCarryMessages(state)) {
      return;
    }
    const info = workflowInfo();
    const isParking = planCommands(state, Date.now()).length === 0;
    const isDue =
      info.continueAsNewSuggested ||
      this.signalCount >= SIGNALS_PER_RUN ||
      (isParking && state.hasWorked && info.historyLength > PARK_SMALL_EVENTS);
    if (isDue) {
      await continueAsNew<typeof agentSession>(nextStart, { ...state, hasWorked: false });
    }
  }
}
