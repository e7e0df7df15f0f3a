import { randomBytes } from 'node:crypto';
import type { NewApproval } from '../../../src/core/approvals';
import type { Entry, EntryDataMap, EntryOf, EntryType, NewEntry } from '../../../src/core/entries';
import { askKey, messageKey, replyKey, resultKey, turnKey } from '../../../src/core/entry-keys';
import { callIdAt, type SessionId, type SessionKey, type Tenant } from '../../../src/core/ids';
import type { SessionStore } from '../../../src/core/ports/session-store';
import type { BeginTryInput, EndTurnStoreInput, RunFence, SettleInput } from '../../../src/core/ports/worker-store';
import type { CallPlan } from '../../../src/core/tools';

export const AT = '2026-03-01T10:00:00.000Z';
/** When questions expire; `BEFORE` and `AFTER` are a moment on either side. */
export const EXPIRES = '2026-03-02T10:00:00.000Z';
export const BEFORE = '2026-03-02T09:59:59.999Z';
export const AFTER = '2026-03-02T10:00:00.001Z';
export const RUN = 'run-1';
export const ARGUMENTS_DIGEST = 'D'.repeat(43);

/** A session id nobody else uses. */
export function newKey(tenant = 'default'): SessionKey {
  return { tenant: tenant as Tenant, sessionId: `s_${randomBytes(9).toString('hex')}` as SessionId };
}

/** A new session that a run has claimed and opened. */
export async function openedSession(store: SessionStore, key: SessionKey = newKey()): Promise<RunFence> {
  await store.createSession({ ...key, agent: 'workspace', message: message('m1'), at: AT });
  await store.claimRun(key, '', RUN);
  const fence = { ...key, runId: RUN };
  await store.openSession(fence, { agent: 'workspace', createRow: false, at: AT });
  return fence;
}

/** A session whose first turn is open. */
export async function sessionInTurn(store: SessionStore, key: SessionKey = newKey()): Promise<RunFence> {
  const fence = await openedSession(store, key);
  await store.append(fence, { entries: opening(1, 'm1'), at: AT, takes: ['m1'] });
  return fence;
}

/** A session in its first turn whose first reply asked for writes, each with an open question. */
export async function sessionWithQuestions(
  store: SessionStore,
  { count = 1, kind = 'call' }: { readonly count?: number; readonly kind?: NewApproval['kind'] } = {},
): Promise<{ readonly fence: RunFence; readonly approvals: readonly NewApproval[] }> {
  const fence = await sessionInTurn(store);
  const approvals = Array.from({ length: count }, (_, index) => question(fence, { ordinal: index + 1, kind }));
  const calls = approvals.map((approval) => plan(approval.callId, { approvalId: approval.approvalId }));
  await store.append(fence, {
    entries: [reply(1, 1, calls), ...approvals.map(requested)],
    approvals,
    at: AT,
  });
  return { fence, approvals };
}

/** The only question of a session. */
export async function sessionWithQuestion(
  store: SessionStore,
  kind: NewApproval['kind'] = 'call',
): Promise<{ readonly fence: RunFence; readonly approval: NewApproval }> {
  const { fence, approvals } = await sessionWithQuestions(store, { kind });
  const [approval] = approvals;
  if (approval === undefined) {
    throw new Error('There is one question.');
  }
  return { fence, approval };
}

/** A session whose only call was approved. */
export async function sessionWithGrant(
  store: SessionStore,
): Promise<{ readonly fence: RunFence; readonly approval: NewApproval }> {
  const { fence, approval } = await sessionWithQuestion(store);
  await store.settleApproval(fence, settle(approval, { candidates: [approve()] }));
  return { fence, approval };
}

export function message(messageId: string, content = 'hello') {
  return { messageId, mode: 'followup', content, principal: 'local', provenance: 'authenticated' } as const;
}

export function userMessage(
  messageId: string,
  place: { readonly turn?: number; readonly round?: number } = {},
  content = 'hello',
): NewEntry {
  return { key: messageKey(messageId), type: 'user.message', ...place, data: message(messageId, content) };
}

/** The batch that opens a turn. */
export function opening(turn: number, messageId: string, content = 'hello'): [NewEntry, NewEntry] {
  return [
    userMessage(messageId, { turn }, content),
    { key: turnKey(turn), type: 'turn.started', turn, data: { messageId } },
  ];
}

export function plan(callId: string, changes: Partial<CallPlan> = {}): CallPlan {
  return { callId, tool: 'write_file', effect: 'write', verdict: 'review', timeoutMs: 5_000, ...changes };
}

export function reply(turn: number, round: number, calls: readonly CallPlan[] = [], text = 'text'): NewEntry {
  return {
    key: replyKey(turn, round),
    type: 'model.reply',
    turn,
    round,
    data: {
      finish: calls.length > 0 ? 'tool-calls' : 'stop',
      blocks: [{ type: 'text', text }],
      calls,
      model: 'mock',
      usage: { inputTokens: 10, outputTokens: 2 },
      readThrough: 2,
      activeMs: 5,
    },
  };
}

export function result(
  turn: number,
  round: number,
  ordinal: number,
  changes: Partial<EntryDataMap['tool.result']> = {},
): NewEntry {
  const callId = callIdAt(turn, round, ordinal);
  const data = { tool: 'write_file', status: 'success', text: 'done', ...changes } as const;
  return { key: resultKey(callId), type: 'tool.result', turn, round, callId, data };
}

export function question(
  key: SessionKey,
  {
    ordinal = 1,
    ask = 1,
    kind = 'call',
    turn = 1,
  }: Partial<{
    ordinal: number;
    ask: number;
    kind: NewApproval['kind'];
    turn: number;
  }> = {},
): NewApproval {
  return {
    approvalId: `ap_${key.sessionId}_${turn}_${ordinal}_${kind}_${ask}`,
    kind,
    turn,
    round: 1,
    callId: callIdAt(turn, 1, ordinal),
    ask,
    tool: 'write_file',
    summary: 'Write a\u0000.txt \u{1f600}',
    arguments: JSON.parse('{"path":"a.txt","__proto__":{"deep":"\\u0000"}}'),
    preview: '+ text',
    argumentsDigest: ARGUMENTS_DIGEST,
    toolDigest: 'T'.repeat(43),
    precondition: 'P'.repeat(43),
    policyVersion: '1',
    reason: 'writes are reviewed',
    risk: 'medium',
    requestedAt: AT,
    expiresAt: EXPIRES,
    approversNeeded: 1,
    requesterMayApprove: true,
    grantUseMs: 60_000,
  };
}

export function requested(approval: NewApproval): NewEntry {
  const { approvalId, kind, ask, tool, summary, risk, argumentsDigest, toolDigest, expiresAt, callId } = approval;
  return {
    key: askKey(callId, ask),
    type: 'approval.requested',
    turn: approval.turn,
    round: approval.round,
    callId,
    data: { approvalId, kind, ask, tool, summary, risk, argumentsDigest, toolDigest, expiresAt },
  };
}

export function approve(changes: Readonly<Record<string, unknown>> = {}) {
  return { decision: 'approve', argumentsDigest: ARGUMENTS_DIGEST, principal: 'ann', ...changes };
}

export function settle(approval: Pick<NewApproval, 'approvalId'>, changes: Partial<SettleInput> = {}): SettleInput {
  return { approvalId: approval.approvalId, candidates: [], now: BEFORE, at: AT, ...changes };
}

export function begin(approval: NewApproval | undefined, changes: Partial<BeginTryInput> = {}): BeginTryInput {
  return {
    turn: 1,
    callId: callIdAt(1, 1, 1),
    tool: 'write_file',
    attemptToken: 'token-1',
    timeoutMs: 5_000,
    idempotencyKey: 'key',
    at: AT,
    ...(approval === undefined ? {} : { approvalId: approval.approvalId, callId: approval.callId }),
    ...changes,
  };
}

export function ending(turn: number, changes: Partial<EndTurnStoreInput> = {}): EndTurnStoreInput {
  return {
    turn,
    outcome: 'completed',
    rounds: 1,
    calls: 1,
    activeMs: 7,
    answers: [],
    discards: [],
    at: AT,
    ...changes,
  };
}

/** Everything in a session's log. */
export function logOf(store: SessionStore, key: SessionKey): Promise<readonly Entry[]> {
  return store.readEntries(key, 0, 10_000);
}

/** The entries of one type. */
export async function entriesOf<Type extends EntryType>(
  store: SessionStore,
  key: SessionKey,
  type: Type,
): Promise<readonly EntryOf<Type>[]> {
  const entries = await logOf(store, key);
  return entries.filter((entry): entry is EntryOf<Type> => entry.type === type);
}

/** The code of the error a promise is rejected with; 'nothing' when it is not. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return 'nothing';
  } catch (error) {
    return (error as { readonly code?: unknown }).code ?? error;
  }
}
