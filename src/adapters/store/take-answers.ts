import type { Insertable } from 'kysely';
import type { ApprovalStatus, DecisionOutcome } from '../../core/approvals';
import type { NewEntry } from '../../core/entries';
import { decisionKey } from '../../core/entry-keys';
import { HoldpointError } from '../../core/errors';
import { judgeDecision } from '../../core/judge-decision';
import { approvalBodyOf, type DecisionBody, decisionBodyOf } from './approval-row';
import { decidedResult } from './decided-result';
import { jsonText } from './json-text';
import { isSameAnswer, type PendingAnswer } from './pending-answers';
import { readClockMs, type Scope } from './store-database';
import type { ApprovalRow, DecisionRow, DecisionsTable, SessionRow } from './tables';
import { writeEntries } from './write-entries';

/** Refused answers to one question that are kept one by one; later ones are only counted, whoever sends them. */
const MAX_KEPT_REFUSALS = 20;

/** A question with everything that was said about it so far. */
export interface Question {
  readonly approval: ApprovalRow;
  readonly decisions: readonly DecisionRow[];
  /** True when its call has a result: then only the decision is written. */
  readonly isAnswered: boolean;
}

/** What judging some answers led to. */
export interface AnswersTaken {
  readonly row: SessionRow;
  readonly status: ApprovalStatus;
  /** The outcome of each answer, in their order; the stored one for an answer that was known. */
  readonly outcomes: readonly DecisionOutcome[];
  /** The word that stands, once one was taken. */
  readonly decision: string | undefined;
  readonly isAnswered: boolean;
}

/** What is known of an answer, by its id. */
interface KnownAnswer {
  readonly outcome: DecisionOutcome;
  readonly body: DecisionBody;
}

interface Judged {
  readonly status: ApprovalStatus;
  readonly refusedCount: number;
  readonly outcomes: readonly DecisionOutcome[];
  readonly rows: readonly Insertable<DecisionsTable>[];
  readonly entries: readonly NewEntry[];
  readonly settled: readonly { readonly id: string; readonly outcome: DecisionOutcome }[];
  readonly isAnswered: boolean;
}

/**
 * Judges answers in their order and writes everything that follows, in the caller's transaction: the decisions, the
 * question's status, the entries, the result of a call that will not run, and which inbox rows are settled.
 */
export async function takeAnswers(
  scope: Scope,
  row: SessionRow,
  question: Question,
  answers: readonly PendingAnswer[],
  at: string,
): Promise<AnswersTaken> {
  const { approval, decisions } = question;
  const judged = judgeAll(question, answers, at);
  if (judged.rows.length > 0) {
    await scope.tx.insertInto('decisions').values(judged.rows).execute();
  }
  if (judged.status !== approval.status || judged.refusedCount !== approval.refused_count) {
    await moveApproval(scope, approval, judged);
  }
  await settleInbox(scope, approval, judged.settled);
  const written = await writeEntries(scope, row, judged.entries, at);
  const standing = [...decisions, ...judged.rows].find(({ outcome }) => outcome === 'taken');
  return {
    row: written.row,
    status: judged.status,
    outcomes: judged.outcomes,
    decision: standing && decisionBodyOf(standing).decision,
    isAnswered: judged.isAnswered,
  };
}

function judgeAll(
  { approval, decisions, isAnswered }: Question,
  answers: readonly PendingAnswer[],
  at: string,
): Judged {
  const known = new Map<string, KnownAnswer>(
    decisions.map((decision) => [decision.decision_id, { outcome: decision.outcome, body: decisionBodyOf(decision) }]),
  );
  const agreedBy = decisions
    .filter(({ outcome }) => outcome === 'recorded')
    .map((decision) => decisionBodyOf(decision).principal);
  const { approversNeeded } = approvalBodyOf(approval);
  const { kind, arguments_digest: argumentsDigest, expires_at: expiresAt } = approval;
  let status = approval.status as ApprovalStatus;
  let refusedCount = approval.refused_count;
  let hasResult = isAnswered;
  const outcomes: DecisionOutcome[] = [];
  const rows: Insertable<DecisionsTable>[] = [];
  const entries: NewEntry[] = [];
  const settled: { id: string; outcome: DecisionOutcome }[] = [];
  for (const sent of answers) {
    const pending = withFreeId(sent, known);
    const { decisionId: id, answer, body } = pending;
    const earlier = known.get(id)?.outcome;
    const judgement = judgeDecision({ kind, status, argumentsDigest, expiresAt, approversNeeded, agreedBy }, answer);
    const outcome = earlier ?? judgement.outcome;
    const isRefused = outcome !== 'taken' && outcome !== 'recorded';
    if (pending.isStored) {
      settled.push({ id, outcome });
    }
    // Holdpoint's own answer that came to nothing leaves no trace: it is no attempt of anybody.
    if (earlier !== undefined || (isRefused && answer.by !== 'person')) {
      outcomes.push(outcome);
      continue;
    }
    outcomes.push(outcome);
    known.set(id, { outcome, body });
    refusedCount += isRefused ? 1 : 0;
    if (!isRefused || refusedCount <= MAX_KEPT_REFUSALS) {
      rows.push(decisionRowOf(approval, pending, outcome, { position: decisions.length + rows.length + 1, at }));
      entries.push(decisionEntry(approval, pending, outcome));
    }
    if (outcome === 'recorded') {
      agreedBy.push(body.principal);
    }
    if (outcome === 'taken') {
      status = judgement.status;
      const result = hasResult ? undefined : decidedResult(approval, body, status);
      entries.push(...(result === undefined ? [] : [result]));
      hasResult ||= result !== undefined;
    }
  }
  return { status, refusedCount, outcomes, rows, entries, settled, isAnswered: hasResult };
}

/** Whoever says something else under a known id says it for himself: a forged answer takes no other's place. */
function withFreeId(pending: PendingAnswer, known: ReadonlyMap<string, KnownAnswer>): PendingAnswer {
  const earlier = known.get(pending.decisionId);
  const isTaken = earlier !== undefined && !isSameAnswer(earlier.body, pending.body);
  return isTaken && pending.contentId !== undefined ? { ...pending, decisionId: pending.contentId } : pending;
}

function decisionRowOf(
  { tenant, approval_id, session }: ApprovalRow,
  { decisionId, body }: PendingAnswer,
  outcome: DecisionOutcome,
  { position, at }: { readonly position: number; readonly at: string },
): Insertable<DecisionsTable> {
  return { tenant, approval_id, decision_id: decisionId, session, position, outcome, body: jsonText(body), at };
}

function decisionEntry(approval: ApprovalRow, { decisionId, body }: PendingAnswer, outcome: DecisionOutcome): NewEntry {
  const { approval_id: approvalId, call_id: callId, turn } = approval;
  const { round } = approvalBodyOf(approval);
  const place = { key: decisionKey(approvalId, decisionId), turn, round, callId };
  const { decision, principal, provenance, comment, argumentsDigest } = body;
  const told = { approvalId, decisionId, outcome, principal, provenance };
  if (outcome !== 'taken' && outcome !== 'recorded') {
    return { ...place, type: 'approval.refused', data: { ...told, decision } };
  }
  return {
    ...place,
    type: 'approval.decided',
    data: {
      ...told,
      // Only a word of the question's kind is ever taken.
      decision: decision as 'approve',
      ...(comment === undefined ? {} : { comment }),
      ...(argumentsDigest === undefined ? {} : { argumentsDigest }),
    },
  };
}

/** Compare-and-set: the row lock makes sure of it, and this makes sure of the row lock. */
async function moveApproval(scope: Scope, approval: ApprovalRow, { status, refusedCount }: Judged): Promise<void> {
  const isGranted = approval.status === 'pending' && status === 'approved';
  const grant = isGranted ? { use_by_ms: (await readClockMs(scope)) + approval.grant_use_ms } : {};
  const { numUpdatedRows } = await scope.tx
    .updateTable('approvals')
    .set({ status, refused_count: refusedCount, ...grant })
    .where('tenant', '=', approval.tenant)
    .where('approval_id', '=', approval.approval_id)
    .where('status', '=', approval.status)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) {
    throw new HoldpointError('log_conflict', `Approval ${approval.approval_id} was moved by somebody else.`);
  }
}

async function settleInbox(scope: Scope, approval: ApprovalRow, settled: Judged['settled']): Promise<void> {
  const byOutcome = new Map<DecisionOutcome, string[]>();
  for (const { id, outcome } of settled) {
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), id]);
  }
  for (const [outcome, ids] of byOutcome) {
    await scope.tx
      .updateTable('inbox')
      .set({ settled_ms: scope.nowMs, outcome })
      .where('tenant', '=', approval.tenant)
      .where('session', '=', approval.session)
      .where('kind', '=', 'decision')
      .where('id', 'in', ids)
      .execute();
  }
}
