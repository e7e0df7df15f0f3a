import type { Poller, RunPicture } from '../core/run-picture';
import type { SessionExplanation, Wait } from '../core/session-explanation';
import type { SessionFacts } from '../core/session-facts';
import type { SessionView } from '../core/sessions';
import { pollingWorkers } from './polling-workers';
import { deliveryWaits, leaseWaits, questionWaits, repairWaits } from './store-waits';
import { activityWaits, retryWaits, runWaits } from './temporal-waits';

/** What Temporal answered. */
export interface TemporalAnswers {
  /** Undefined when it knows no workflow of the session. */
  readonly run: RunPicture | undefined;
  readonly pollers: readonly Poller[];
}

/** Waits whose text goes into the summary. */
const SUMMED_UP = 3;

/**
 * Says where a session is and what it waits for. Pure.
 * @param temporal Null when Temporal could not be asked: then the store alone speaks.
 */
export function explainSession(
  facts: SessionFacts,
  temporal: TemporalAnswers | null,
  nowMs: number,
): SessionExplanation {
  const { session, lastEntries } = facts;
  const found = [
    ...repairWaits(facts),
    ...(hasWork(facts) ? waitsInTemporal(facts, temporal, nowMs) : []),
    ...deliveryWaits(facts),
    ...questionWaits(facts, nowMs),
    ...leaseWaits(facts),
    ...(isAtRest(session) ? [messageWait(session)] : []),
  ];
  const waitsFor = found.length > 0 ? found : [stepWait(facts)];
  return {
    sessionId: session.sessionId,
    status: session.status,
    summary: summaryOf(facts, waitsFor, temporal),
    waitsFor,
    lastEntries,
    temporal: temporal && {
      status: temporal.run?.status ?? 'NOT_FOUND',
      runId: temporal.run?.runId ?? null,
      run: temporal.run ?? null,
      pollers: pollingWorkers(temporal.pollers, nowMs),
    },
  };
}

/** True when somebody other than a person has something to do. */
function hasWork({ session, answers }: SessionFacts): boolean {
  return !isAtRest(session) || answers.length > 0;
}

function isAtRest({ status }: SessionView): boolean {
  return status === 'idle' || status === 'closed';
}

function waitsInTemporal(facts: SessionFacts, temporal: TemporalAnswers | null, nowMs: number): readonly Wait[] {
  if (temporal === null) {
    return [outageWait(), ...retryWaits(facts)];
  }
  const { run, pollers } = temporal;
  const isAttended = pollingWorkers(pollers, nowMs).length > 0;
  const calls = run === undefined || facts.session.blockedCode !== undefined ? [] : activityWaits(run);
  return [
    ...runWaits(run, facts),
    ...(isAttended ? [] : [workerWait(pollers)]),
    // That nobody is there to take them was said.
    ...calls.filter(({ kind }) => isAttended || kind !== 'worker'),
  ];
}

function outageWait(): Wait {
  return {
    kind: 'temporal',
    text: 'Temporal does not answer this gateway.',
    advice: 'Messages and decisions are kept meanwhile, and are delivered once it is back.',
    since: null,
  };
}

function workerWait(pollers: readonly Poller[]): Wait {
  const lastAccess = pollers.flatMap(({ lastAccessAt }) => lastAccessAt ?? []).sort();
  return {
    kind: 'worker',
    text: 'No worker asks for work on its task queue.',
    advice: 'Start a worker with this namespace and task queue; everything goes on where it stands.',
    since: lastAccess.at(-1) ?? null,
  };
}

function stepWait({ lastEntries }: SessionFacts): Wait {
  return {
    kind: 'workflow',
    text: 'Its workflow is between two steps.',
    advice:
      'Look again in a moment; if it stays so, its worker can not reach the store, and the log of the worker says why.',
    since: lastEntries.at(-1)?.at ?? null,
  };
}

function messageWait({ sessionId, status }: SessionView): Wait {
  return {
    kind: 'message',
    text: status === 'closed' ? 'It is closed; a message opens it again.' : 'Nothing is under way.',
    advice: `POST /v1/sessions/${sessionId}/messages.`,
    since: null,
  };
}

function summaryOf(
  { session, messages }: SessionFacts,
  waits: readonly Wait[],
  temporal: TemporalAnswers | null,
): string {
  const more = waits.length - SUMMED_UP;
  const queued = session.turn === null && session.blockedCode === undefined ? 0 : messages.count;
  const isOutageSaid = waits.some(({ kind }) => kind === 'temporal');
  return [
    `Session ${session.sessionId} ${doingOf(session)}.`,
    ...waits.slice(0, SUMMED_UP).map(({ text }) => text),
    ...(more > 0 ? [`It waits for ${more} more.`] : []),
    ...(queued > 0 ? [`Messages that wait for their turn: ${queued}.`] : []),
    ...(temporal === null && !isOutageSaid ? ['Temporal does not answer this gateway.'] : []),
  ].join(' ');
}

function doingOf({ status, turn, round, lastTurn }: SessionView): string {
  const place = turn === null ? '' : ` in turn ${turn}, round ${round ?? 1}`;
  switch (status) {
    case 'idle':
    case 'closed':
      return lastTurn === null ? `is ${status}` : `is ${status}; turn ${lastTurn.turn} ended as ${lastTurn.outcome}`;
    case 'running':
      return turn === null ? 'is about to begin a turn' : `is running${place}`;
    case 'waiting_for_approval':
      return `waits for a person${place}`;
    case 'blocked':
      return `is blocked${place}`;
  }
}
