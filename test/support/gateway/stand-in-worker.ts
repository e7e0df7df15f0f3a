import type { ApprovalKind, ApprovalRecord } from '../../../src/core/approvals';
import type { NewEntry } from '../../../src/core/entries';
import { askKey, messageKey, replyKey, turnKey } from '../../../src/core/entry-keys';
import { callIdAt, type SessionId, type SessionKey, type Tenant } from '../../../src/core/ids';
import type { SessionStore } from '../../../src/core/ports/session-store';
import type { AppendBatch, SettleOutcome } from '../../../src/core/ports/worker-store';
import type { TurnOutcome } from '../../../src/core/sessions';
import { approvalIdOf } from '../../../src/digests/derived-ids';

const RUN_ID = 'run-1';

export interface Question {
  /** Default `call`. */
  readonly kind?: ApprovalKind;
  /** Default: in an hour. */
  readonly expiresAt?: string;
  /** Default `+hello`. */
  readonly preview?: string;
}

/** Does for one session what its workflow and activities would: opens a turn that asks, settles decisions, ends the
 * turn. */
export class StandInWorker {
  readonly #store: SessionStore;
  readonly #key: SessionKey;

  constructor(store: SessionStore, sessionId: string, tenant = 'default') {
    this.#store = store;
    this.#key = { tenant: tenant as Tenant, sessionId: sessionId as SessionId };
  }

  /** Takes the first message of the session as turn 1, whose first call is a question. */
  async ask(question: Question = {}): Promise<ApprovalRecord> {
    const { tenant, sessionId } = this.#key;
    const at = new Date().toISOString();
    await this.#store.claimRun(this.#key, '', RUN_ID);
    const opened = await this.#store.openSession(this.#fence(), { agent: 'workspace', createRow: false, at });
    const [message] = opened.inbox;
    if (message === undefined) {
      throw new Error('the session has no message to work on');
    }
    const callId = callIdAt(1, 1, 1);
    const kind = question.kind ?? 'call';
    const approvalId = approvalIdOf({ tenant, sessionId, callId, kind, ask: 1 });
    const expiresAt = question.expiresAt ?? new Date(Date.now() + 3_600_000).toISOString();
    const shown = { tool: 'write_file', summary: 'write a.txt', risk: 'medium' as const };
    const digests = { argumentsDigest: `digest-${sessionId}`, toolDigest: 'digest-tool' };
    const { messageId, mode, content, principal, provenance } = message;
    const opening: NewEntry[] = [
      {
        key: messageKey(messageId),
        type: 'user.message',
        turn: 1,
        data: { messageId, mode, content, provenance, ...(principal === undefined ? {} : { principal }) },
      },
      { key: turnKey(1), type: 'turn.started', turn: 1, data: { messageId } },
    ];
    await this.#append(opening, { at, takes: [messageId] });
    const asking: NewEntry[] = [
      {
        key: replyKey(1, 1),
        type: 'model.reply',
        turn: 1,
        round: 1,
        data: {
          finish: 'tool-calls',
          blocks: [],
          calls: [],
          model: 'mock:workspace',
          usage: { inputTokens: 1, outputTokens: 1 },
          readThrough: 3,
          activeMs: 1,
        },
      },
      {
        key: askKey(callId, 1),
        type: 'approval.requested',
        turn: 1,
        round: 1,
        callId,
        data: { approvalId, kind, ask: 1, ...shown, ...digests, expiresAt },
      },
    ];
    const approval = {
      ...shown,
      ...digests,
      approvalId,
      kind,
      turn: 1,
      round: 1,
      callId,
      ask: 1,
      arguments: { path: 'a.txt', content: 'hello' },
      preview: question.preview ?? '+hello',
      precondition: 'absent',
      policyVersion: '1',
      reason: 'writes wait for a human',
      requestedAt: at,
      expiresAt,
      approversNeeded: 1,
      requesterMayApprove: true,
      grantUseMs: 3_600_000,
    };
    await this.#append(asking, { at, approvals: [approval] });
    const record = await this.#store.readApproval(tenant, approvalId);
    if (record === undefined) {
      throw new Error('the question was not stored');
    }
    return record;
  }

  /** Settles what is stored for an approval; `expiredAt` and `withdraw` as the workflow says them. */
  settle(
    approvalId: string,
    options: { readonly expiredAt?: string; readonly withdraw?: boolean } = {},
  ): Promise<SettleOutcome> {
    const now = new Date().toISOString();
    return this.#store.settleApproval(this.#fence(), { approvalId, candidates: [], now, at: now, ...options });
  }

  /** Asks the same again because something has changed, in place of the question before. */
  async supersede({ approvalId, status, decisions, sessionId, useBy, usedBy, ...question }: ApprovalRecord) {
    const at = new Date().toISOString();
    const ask = question.ask + 1;
    const nextId = approvalIdOf({ ...this.#key, callId: question.callId, kind: question.kind, ask });
    const next = { ...question, approvalId: nextId, ask, requestedAt: at, grantUseMs: 3_600_000 };
    const superseded = await this.#store.supersedeApproval(this.#fence(), {
      approvalId,
      next,
      because: 'precondition',
      at,
    });
    return superseded.next;
  }

  /** Ends turn 1, and with it what is open in it. */
  async endTurn(outcome: TurnOutcome): Promise<void> {
    const at = new Date().toISOString();
    const totals = { rounds: 1, calls: 1, activeMs: 1, answers: [], discards: [] };
    await this.#store.endTurn(this.#fence(), { turn: 1, outcome, ...totals, at });
  }

  #fence() {
    return { ...this.#key, runId: RUN_ID };
  }

  async #append(entries: readonly NewEntry[], parts: Omit<AppendBatch, 'entries'>): Promise<void> {
    const [first, ...rest] = entries;
    if (first === undefined) {
      throw new Error('nothing to append');
    }
    await this.#store.append(this.#fence(), { entries: [first, ...rest], ...parts });
  }
}
