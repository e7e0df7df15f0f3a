/**
 * Begins a try of a write. Whether an earlier try may have happened is read from the store, never inferred from how an
 * activity ended:
 *
 *   no open try                    -> begin
 *   open try, idempotent tool      -> verify says applied: done; else begin again under the same key
 *   open try, lease not over       -> come back when it is
 *   open try, lease over           -> verify says applied: done · not applied: check again, then begin again
 *                                     unknown: a human has to say
 *   open try, a human said "run again" after it -> begin again under the same key
 */
import type { ApprovalRecord, ApprovalStatus } from '../core/approvals';
import type { EntryOf } from '../core/entries';
import { isEntry } from '../core/entries';
import { HoldpointError } from '../core/errors';
import type { BeginOutcome } from '../core/ports/worker-store';
import type { ActivityDependencies } from './activity-dependencies';
import { openTry } from './call-record';
import type { CallToRun } from './recheck-call';
import { isoNow, type SessionLog } from './session-log';
import { idempotencyKeyOfCall } from './tool-context';
import { verifyWrite } from './verify-write';

/** Added to a wait for the end of a lease, so that it is over when the next attempt looks. */
const AFTER_LEASE_MS = 100;
/** Other attempts that may begin between our looks before this one gives way. */
const MAX_LOOKS = 4;

export type WriteStart =
  | { readonly status: 'begun'; readonly try: number; readonly leaseUntilMs: number }
  | { readonly status: 'answered'; readonly result: EntryOf<'tool.result'> }
  /** An earlier try took effect. */
  | { readonly status: 'applied'; readonly try: number }
  /** Nobody but a human can say whether an earlier try took effect. */
  | { readonly status: 'unknown'; readonly try: number }
  /** An earlier try did not happen, and the grant has to be looked at again before the next one. */
  | { readonly status: 'not_applied'; readonly try: number }
  /** The approval does not allow a first try. */
  | { readonly status: 'not_granted'; readonly approval: ApprovalStatus | undefined };

/** What a try is begun with. */
export interface WriteRequest {
  readonly toRun: CallToRun;
  readonly attemptToken: string;
  readonly approvalId: string | undefined;
  /** The try whose fate is settled and that the checks before a first try were made for again. */
  readonly checkedAfterTry?: number | undefined;
  readonly stop: AbortSignal;
}

type BeginDependencies = Pick<ActivityDependencies, 'clock' | 'logger' | 'store'>;
type BusyOutcome = Extract<BeginOutcome, { status: 'begun' | 'busy' }>;

/**
 * See the head of this file. Throws HoldpointError `call_busy` (retryable, details `retryAfterMs`) while another attempt's
 * lease runs, `call_aborted` when the turn has ended.
 */
export async function beginWrite(
  dependencies: BeginDependencies,
  log: SessionLog,
  request: WriteRequest,
): Promise<WriteStart> {
  let afterTry = request.checkedAfterTry ?? tryToRunAgain(request);
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const outcome = await beginTry(dependencies, log, request, afterTry);
    switch (outcome.status) {
      case 'begun':
        return { status: 'begun', try: outcome.try, leaseUntilMs: outcome.leaseUntilMs };
      case 'answered':
        return answered(outcome.result);
      case 'turn_ended':
        throw new HoldpointError('call_aborted', `The turn of call ${request.toRun.call.callId} has ended.`);
      case 'not_granted':
        return afterTry === undefined
          ? { status: 'not_granted', approval: outcome.approval }
          : { status: 'unknown', try: afterTry };
      case 'busy': {
        const next = await settleOpenTry(dependencies, request, outcome);
        if (next.status !== 'repeat') {
          return next;
        }
        afterTry = outcome.try;
      }
    }
  }
  throw busy(request, 0);
}

async function beginTry(
  dependencies: BeginDependencies,
  log: SessionLog,
  { toRun, attemptToken, approvalId }: WriteRequest,
  afterTry: number | undefined,
): Promise<BeginOutcome> {
  const { call, scope, tool } = toRun;
  const at = await isoNow(dependencies);
  return log.write((store, fence) =>
    store.beginTry(fence, {
      turn: call.turn,
      callId: call.callId,
      tool: scope.tool,
      attemptToken,
      timeoutMs: tool.definition.timeoutMs,
      idempotencyKey: idempotencyKeyOfCall(scope),
      ...(approvalId === undefined ? {} : { approvalId }),
      ...(afterTry === undefined ? {} : { afterTry }),
      at,
    }),
  );
}

/** What an open try of another attempt means for this one. */
async function settleOpenTry(
  dependencies: BeginDependencies,
  request: WriteRequest,
  open: BusyOutcome,
): Promise<WriteStart | { readonly status: 'repeat' }> {
  const { call, scope, tool } = request.toRun;
  const isLeased = open.storeNowMs <= open.leaseUntilMs;
  const { idempotent } = tool.definition;
  if (isLeased && !idempotent) {
    throw busy(request, open.leaseUntilMs - open.storeNowMs);
  }
  const answer = await verifyWrite(dependencies, tool, scope, call, request.stop);
  if (answer === 'applied') {
    return { status: 'applied', try: open.try };
  }
  if (idempotent) {
    return { status: 'repeat' };
  }
  return { status: answer === 'not_applied' ? 'not_applied' : 'unknown', try: open.try };
}

/** The open try that a human allowed to be repeated; one that began under that very answer is not it. */
function tryToRunAgain({ toRun, approvalId }: WriteRequest): number | undefined {
  const { call } = toRun;
  const open = openTry(call.tries);
  return runAgainQuestion(call.questions)?.approvalId === approvalId && open?.approvalId !== approvalId
    ? open?.try
    : undefined;
}

/** The newest question when it asked what became of a write, and a human answered that it may be run again. */
export function runAgainQuestion(questions: readonly ApprovalRecord[]): ApprovalRecord | undefined {
  const newest = questions.at(-1);
  return newest?.kind === 'outcome' && newest.status === 'approved' ? newest : undefined;
}

function answered(result: Extract<BeginOutcome, { status: 'answered' }>['result']): WriteStart {
  if (!isEntry(result, 'tool.result')) {
    throw new HoldpointError('internal', `Entry ${result.key} is no result.`);
  }
  return { status: 'answered', result };
}

function busy({ toRun }: WriteRequest, leaseLeftMs: number): HoldpointError {
  return new HoldpointError('call_busy', `Another attempt is at work on call ${toRun.call.callId}.`, {
    retryAfterMs: leaseLeftMs + AFTER_LEASE_MS,
  });
}
