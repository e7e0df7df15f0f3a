import type { ApprovalStatus } from '../../core/approvals';
import { type Entry, isEntry, type NewEntry } from '../../core/entries';
import { resultKey, turnEndKey, turnKey } from '../../core/entry-keys';
import { callPositionOf } from '../../core/ids';
import { addUsage, NO_USAGE } from '../../core/messages';
import type { EndTurnOutcome, EndTurnStoreInput, RunFence } from '../../core/ports/worker-store';
import type { TurnOutcome } from '../../core/sessions';
import type { CallPlan } from '../../core/tools';
import { findDecisions } from './approval-row';
import { dropMessages } from './drop-messages';
import { ENTRY_COLUMNS, entryOf } from './entry-row';
import { lockForRun, positionOf } from './lock-session';
import { findStoredAnswers, withdrawalAnswer } from './pending-answers';
import { findEntries } from './read-entries';
import type { Scope, StoreDatabase } from './store-database';
import type { ApprovalRow, SessionRow } from './tables';
import { takeAnswers } from './take-answers';
import { type Try, triesOf } from './tries';
import { writeEntries } from './write-entries';

/** See `WorkerStore.endTurn`. */
export function endTurn(database: StoreDatabase, fence: RunFence, input: EndTurnStoreInput): Promise<EndTurnOutcome> {
  return database.write(async (scope) => {
    const locked = await lockForRun(scope, fence);
    const stored = await findEntries(scope, fence, [turnKey(input.turn), turnEndKey(input.turn)]);
    const end = stored.get(turnEndKey(input.turn));
    const ended = end && entryOf(end);
    if (isEntry(ended, 'turn.ended')) {
      const { outcome, code } = ended.data;
      return { status: 'ended', outcome, ...(code === undefined ? {} : { code }), last: positionOf(locked) };
    }
    const discarded = await dropMessages(scope, locked, input.discards, input.at);
    const turn = await readTurn(scope, fence, input.turn, stored.get(turnKey(input.turn))?.seq ?? 0);
    const answered = await answerUnstarted(scope, discarded, turn, input);
    const settled = await withdrawQuestions(scope, fence, answered, input);
    const unsettled = unsettledCalls(turn);
    if (unsettled.length > 0) {
      return { status: 'unsettled', unsettled, last: positionOf(settled) };
    }
    const written = await writeEntries(scope, settled, [endEntry(turn, input)], input.at);
    const { outcome, code } = input;
    return { status: 'ended', outcome, ...(code === undefined ? {} : { code }), last: positionOf(written.row) };
  });
}

/** What the store holds of a turn that matters for its end. */
interface StoredTurn {
  readonly calls: readonly CallPlan[];
  readonly answered: ReadonlySet<string>;
  /** Tries that may have had an effect. */
  readonly tries: readonly Try[];
  readonly entries: readonly Entry[];
}

async function readTurn(
  { tx }: Scope,
  { tenant, sessionId }: RunFence,
  turn: number,
  fromSeq: number,
): Promise<StoredTurn> {
  const rows = await tx
    .selectFrom('entries')
    .select(ENTRY_COLUMNS)
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('seq', '>=', fromSeq)
    .where('turn', '=', turn)
    .where('type', 'in', ['model.reply', 'tool.started', 'tool.not_run', 'tool.result'])
    .orderBy('seq')
    .execute();
  const entries = rows.map(entryOf);
  return {
    entries,
    calls: entries.flatMap((entry) => (isEntry(entry, 'model.reply') ? entry.data.calls : [])),
    answered: new Set(entries.flatMap((entry) => (isEntry(entry, 'tool.result') ? (entry.callId ?? []) : []))),
    tries: triesOf(entries).filter(({ isNotRun }) => !isNotRun),
  };
}

/** Calls that never began get their result: the workflow's own answer where it has one, else `aborted`. */
async function answerUnstarted(
  scope: Scope,
  row: SessionRow,
  { calls, answered, tries }: StoredTurn,
  { answers, turn, at }: EndTurnStoreInput,
): Promise<SessionRow> {
  const began = new Set(tries.map(({ callId }) => callId));
  const own = new Map(answers.map((entry) => [entry.key, entry]));
  const results = calls
    .filter(({ callId }) => !answered.has(callId) && !began.has(callId))
    .map((call) => own.get(resultKey(call.callId)) ?? abortedResult(call, turn));
  const written = await writeEntries(scope, row, results, at);
  return written.row;
}

function abortedResult({ callId, tool, effect }: CallPlan, turn: number): NewEntry {
  const round = callPositionOf(callId)?.round;
  return {
    key: resultKey(callId),
    type: 'tool.result',
    turn,
    ...(round === undefined ? {} : { round }),
    callId,
    data: {
      tool,
      status: 'aborted',
      code: 'call_aborted',
      text: 'Not run: the turn ended before this call began.',
      effect,
    },
  };
}

/**
 * Open questions of kind `call` are withdrawn; answers to them that wait in the inbox hear so. A grant nobody used is
 * worth nothing any more. Questions about an outcome stay open: a cancel never waits for a human, and never hides one.
 */
async function withdrawQuestions(
  scope: Scope,
  fence: RunFence,
  row: SessionRow,
  { turn, at }: EndTurnStoreInput,
): Promise<SessionRow> {
  const approvals = await findOpenQuestions(scope, fence, turn);
  const decisions = await findDecisions(
    scope,
    fence.tenant,
    approvals.map((approval) => approval.approval_id),
  );
  let current = row;
  for (const approval of approvals) {
    const id = approval.approval_id;
    const answers = [withdrawalAnswer(), ...(await findStoredAnswers(scope, fence, id))];
    const about = decisions.filter((decision) => decision.approval_id === id);
    const question = { approval, decisions: about, isAnswered: true };
    current = (await takeAnswers(scope, current, question, answers, at)).row;
  }
  await scope.tx
    .updateTable('approvals')
    .set({ status: 'superseded' satisfies ApprovalStatus })
    .where('tenant', '=', fence.tenant)
    .where('session', '=', fence.sessionId)
    .where('turn', '=', turn)
    .where('kind', '=', 'call')
    .where('status', '=', 'approved')
    .where('used_by', 'is', null)
    .execute();
  return current;
}

function findOpenQuestions(
  { tx }: Scope,
  { tenant, sessionId }: RunFence,
  turn: number,
): Promise<readonly ApprovalRow[]> {
  return tx
    .selectFrom('approvals')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('session', '=', sessionId)
    .where('status', '=', 'pending')
    .where('kind', '=', 'call')
    .where('turn', '=', turn)
    .orderBy('asked_seq')
    .execute();
}

/** Calls that began and have no result: nobody knows yet what they did. */
function unsettledCalls({ answered, tries }: StoredTurn): { callId: string; leaseUntil: string }[] {
  const leases = new Map<string, string>();
  for (const { callId, leaseUntil } of tries) {
    const earlier = leases.get(callId);
    if (!answered.has(callId) && (earlier === undefined || earlier < leaseUntil)) {
      leases.set(callId, leaseUntil);
    }
  }
  return [...leases].map(([callId, leaseUntil]) => ({ callId, leaseUntil }));
}

function endEntry({ entries }: StoredTurn, input: EndTurnStoreInput): NewEntry {
  const { turn, outcome, code, rounds, calls, activeMs } = input;
  const usage = entries.reduce(
    (sum, entry) => (isEntry(entry, 'model.reply') ? addUsage(sum, entry.data.usage) : sum),
    NO_USAGE,
  );
  return {
    key: turnEndKey(turn),
    type: 'turn.ended',
    turn,
    data: {
      outcome: outcome satisfies TurnOutcome,
      ...(code === undefined ? {} : { code }),
      rounds,
      calls,
      activeMs,
      usage,
    },
  };
}
