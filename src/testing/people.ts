import type { ApprovalRecord } from '../core/approvals';
import { HoldpointError } from '../core/errors';
import type { SessionKey } from '../core/ids';
import type { SessionStore } from '../core/ports/session-store';
import type { MessageMode } from '../core/sessions';
import type { SessionState } from '../workflows/agent-session-state';
import { openQuestions } from '../workflows/open-questions';
import type { SessionEvent } from '../workflows/session-event';
import { answerTo, type Decisions, unexpectedQuestion } from './decisions';

/** A message of a test. */
export interface TestMessage {
  readonly content: string;
  /** Default `followup`. */
  readonly mode?: MessageMode;
  /**
   * Number of the model request, from 1 and counted over the whole run, during which the message comes. Default: it
   * comes when the session has nothing else to do.
   */
  readonly whileRequest?: number;
}

/** The session people talk to, and how it hears of what they stored. */
export interface PeopleOptions {
  readonly store: SessionStore;
  readonly key: SessionKey;
  readonly agent: string;
  readonly messages: readonly TestMessage[];
  readonly decisions: Decisions;
  readonly principal: string;
  nowMs(): number;
  receive(event: SessionEvent): void;
}

/** Everybody outside of the session: they send the messages of a test and answer questions, as through a gateway. */
export class People {
  private readonly options: PeopleOptions;
  private readonly unsent: { readonly messageId: string; readonly message: TestMessage }[];
  private readonly answered = new Set<string>();
  private readonly ignored = new Set<string>();

  constructor(options: PeopleOptions) {
    this.options = options;
    this.unsent = options.messages.map((message, index) => ({ messageId: `m${index + 1}`, message }));
  }

  /** Sends the first message, which makes the session. */
  async begin(): Promise<void> {
    const { store, key, agent } = this.options;
    const first = this.unsent.shift();
    if (first !== undefined) {
      await store.createSession({ ...key, agent, message: this.body(first), at: this.now() });
      this.announce(first);
    }
  }

  /** What people do while nothing works: they answer one question, or send the next message. False: nothing is left. */
  async act(state: SessionState): Promise<boolean> {
    const isAnswered = await this.answerOne(state);
    if (isAnswered || state.phase !== 'idle' || openQuestions(state).length > 0) {
      return isAnswered;
    }
    return this.sendFirst(({ whileRequest }) => whileRequest === undefined);
  }

  /** Sends what comes during a request of the model. */
  async sendDuring(request: number): Promise<void> {
    let isSent = true;
    while (isSent) {
      isSent = await this.sendFirst(({ whileRequest }) => whileRequest === request);
    }
  }

  /** Throws HoldpointError `not_as_scripted` for a message whose moment never came. */
  assertDone(): void {
    const left = this.unsent[0];
    if (left !== undefined) {
      const { content, whileRequest } = left.message;
      throw new HoldpointError(
        'not_as_scripted',
        `Message ${JSON.stringify(content)} was to come during model request ${whileRequest}, which never came.`,
      );
    }
  }

  /** One at a time, in the order they were asked, so that a run goes the same way each time. */
  private async answerOne(state: SessionState): Promise<boolean> {
    const { store, key, decisions } = this.options;
    for (const { approvalId } of openQuestions(state)) {
      const approval = await store.readApproval(key.tenant, approvalId);
      if (approval === undefined || this.ignored.has(approvalId)) {
        continue;
      }
      if (this.answered.has(approvalId)) {
        const last = approval.decisions.at(-1);
        throw unexpectedQuestion(`The answer was not taken (${last?.outcome}) to a question`, approval);
      }
      const answer = await answerTo(decisions, approval);
      if (answer.decision === 'expire') {
        this.ignored.add(approvalId);
        continue;
      }
      this.answered.add(approvalId);
      await this.decide(approval, answer.decision, answer);
      return true;
    }
    return false;
  }

  private async decide(
    { approvalId, argumentsDigest }: ApprovalRecord,
    decision: string,
    { comment, principal = this.options.principal }: { readonly comment?: string; readonly principal?: string },
  ): Promise<void> {
    const { store, key, receive } = this.options;
    await store.putDecision({
      tenant: key.tenant,
      approvalId,
      decisionId: `d${this.answered.size}`,
      decision,
      argumentsDigest,
      ...(comment === undefined ? {} : { comment }),
      principal,
      provenance: 'authenticated',
      decidedAt: this.now(),
    });
    receive({ type: 'decide', signal: { approvalId } });
  }

  private async sendFirst(isDue: (message: TestMessage) => boolean): Promise<boolean> {
    const index = this.unsent.findIndex(({ message }) => isDue(message));
    const [due] = index === -1 ? [] : this.unsent.splice(index, 1);
    if (due === undefined) {
      return false;
    }
    const { store, key } = this.options;
    await store.putMessage({ ...key, message: this.body(due), at: this.now() });
    this.announce(due);
    return true;
  }

  private body({ messageId, message }: People['unsent'][number]) {
    const { content, mode = 'followup' } = message;
    return { messageId, mode, content, principal: this.options.principal, provenance: 'authenticated' } as const;
  }

  private announce({ messageId, message }: People['unsent'][number]): void {
    this.options.receive({ type: 'message', message: { messageId, mode: message.mode ?? 'followup' } });
  }

  private now(): string {
    return new Date(this.options.nowMs()).toISOString();
  }
}
