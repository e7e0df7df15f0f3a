/**
 * What the page knows, and the only thing that changes it.
 *
 * Connection: connecting -> live (hello came, the list was read) -> cut (said after 3 s) -> connecting -> live …
 * Bar of a question: idle -> sending -> answered, or back to idle with a fault. No result is shown before it is known.
 */
import type { ApprovalStatus, DecisionWord } from '../../src/core/approvals';
import { clockText } from '../../src/core/display/time-text';
import { ServerClock } from '../time/server-clock';
import type { StreamEvent } from './approval-stream';
import { writeDraft } from './draft';
import { decisionFaultText, listFaultText } from './fault-text';
import { ApiFault, listPending, readApproval, readSession, sendDecision } from './gateway-api';
import { type InboxRow, missingFrom, withApprovals, withoutClosedBefore } from './inbox-rows';
import { type KnownApproval, mergeApproval } from './known-approval';
import { outcomeText } from './outcome-text';

export interface BarState {
  readonly step: 'idle' | 'sending' | 'answered';
  /** What was sent last, while it is on its way. */
  readonly word?: DecisionWord;
  /** What came of it. */
  readonly text?: string;
  /** What the question had become then: once it is something else, the text is no longer true. */
  readonly status?: ApprovalStatus;
  /** True when the decision is stored and nobody has settled it yet: nothing more can be sent. */
  readonly isStored?: boolean;
}

export interface InboxState {
  /** False until the first list has come. */
  readonly isLoaded: boolean;
  readonly rows: readonly InboxRow[];
  readonly connection: 'connecting' | 'live' | 'lost';
  /** `14:07:12`, when the connection was lost. */
  readonly lostAt: string;
  readonly listFault: string | undefined;
  /** The question on the screen; undefined while it is being read. */
  readonly opened: KnownApproval | undefined;
  /** Why it can't be shown. */
  readonly openFault: string | undefined;
  /** By session. */
  readonly agents: Readonly<Record<string, string>>;
  /** By approval. */
  readonly bars: Readonly<Record<string, BarState>>;
  /** Said to people who listen to the page. */
  readonly announcement: string;
}

const SAY_NOTHING_MS = 3_000;
const RETRY_MS = 3_000;
const CLOSED_ROW_STAYS_MS = 10_000;

export class Inbox {
  readonly clock = new ServerClock();
  state: InboxState = {
    isLoaded: false,
    rows: [],
    connection: 'connecting',
    lostAt: '',
    listFault: undefined,
    opened: undefined,
    openFault: undefined,
    agents: {},
    bars: {},
    announcement: '',
  };
  private onChange: (state: InboxState) => void = () => undefined;
  private openedId: string | undefined;
  private lostTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private connectionNumber = 0;
  private readonly sending = new Set<string>();
  /** Ids of decisions, by what they say: the same decision sent again is the same one. */
  private readonly decisionIds = new Map<string, string>();

  constructor() {
    this.expectConnection();
  }

  /** Calls `onChange` with every new state. */
  listen(onChange: (state: InboxState) => void): void {
    this.onChange = onChange;
  }

  /** Takes in what the stream says. */
  hear(event: StreamEvent): void {
    switch (event.type) {
      case 'hello':
        this.clock.set(event.serverTime);
        clearTimeout(this.lostTimer);
        void this.catchUp();
        return;
      case 'heartbeat':
        this.clock.set(event.serverTime);
        return;
      case 'approval':
        this.see([event.approval]);
        return;
      case 'closed':
        this.connectionNumber += 1;
        this.expectConnection();
        return;
    }
  }

  /** Reads the list, and what happened to the questions that are no longer in it. Then the page is up to date. */
  async catchUp(): Promise<void> {
    this.connectionNumber += 1;
    const connection = this.connectionNumber;
    clearTimeout(this.retryTimer);
    try {
      const pending = await listPending();
      const missing = missingFrom(this.state.rows, pending);
      const answered = await Promise.all(missing.map((approvalId) => readApproval(approvalId)));
      if (connection !== this.connectionNumber) {
        return;
      }
      this.see([...pending, ...answered]);
      const isBack = this.state.connection === 'lost';
      this.change({ isLoaded: true, connection: 'live', listFault: undefined });
      this.change(isBack ? { announcement: 'Connected again.' } : {});
      if (this.openedId !== undefined) {
        await this.open(this.openedId);
      }
    } catch (fault) {
      if (connection === this.connectionNumber) {
        this.change({ listFault: listFaultText(fault) });
        this.retryTimer = setTimeout(() => void this.catchUp(), RETRY_MS);
      }
    }
  }

  /** Shows a question; undefined shows none. What is on the screen of the same one stays until it is read again. */
  async open(approvalId: string | undefined): Promise<void> {
    this.openedId = approvalId;
    const row = this.state.rows.find(({ approval }) => approval.approvalId === approvalId);
    const isSame = this.state.opened?.approvalId === approvalId;
    this.change({ opened: isSame ? this.state.opened : row?.approval, openFault: undefined });
    if (approvalId === undefined) {
      return;
    }
    try {
      const approval = await readApproval(approvalId);
      this.see([approval]);
      if (this.openedId === approvalId) {
        await this.readAgent(approval.sessionId);
      }
    } catch (fault) {
      if (this.openedId === approvalId && this.state.opened === undefined) {
        const code = fault instanceof ApiFault ? fault.code : 'internal';
        this.change({ openFault: code });
      }
    }
  }

  /**
   * Sends a decision on what is on the screen. One at a time per question: what comes while one is on its way is dropped.
   * Resolves when it was answered, or was not.
   */
  async decide(approval: KnownApproval, decision: DecisionWord, comment: string): Promise<void> {
    const { approvalId, argumentsDigest } = approval;
    if (this.sending.has(approvalId) || this.state.bars[approvalId]?.isStored === true) {
      return;
    }
    this.sending.add(approvalId);
    this.setBar(approvalId, { step: 'sending', word: decision });
    const decisionId = this.decisionIdOf(JSON.stringify([approvalId, decision, argumentsDigest, comment]));
    const body = { decisionId, decision, argumentsDigest, ...(comment === '' ? {} : { comment }) };
    try {
      const answer = await sendDecision(approvalId, body);
      if (answer.outcome === 'taken') {
        writeDraft(approvalId, '');
      }
      const text = outcomeText(decision, answer.outcome, decisionId, answer.approval, this.clock.nowMs());
      const { status } = answer.approval;
      this.setBar(approvalId, { step: 'answered', text, status, isStored: answer.outcome === null });
      this.see([answer.approval]);
      this.change({ announcement: text });
    } catch (fault) {
      this.setBar(approvalId, { step: 'idle', text: decisionFaultText(fault) });
      this.change({ announcement: decisionFaultText(fault) });
    } finally {
      this.sending.delete(approvalId);
    }
  }

  /** Takes rows away that were answered some seconds ago, or all answered ones. */
  tidy(stayMs: number = CLOSED_ROW_STAYS_MS): void {
    const rows = withoutClosedBefore(this.state.rows, performance.now() - stayMs);
    if (rows !== this.state.rows) {
      this.change({ rows });
    }
  }

  /** A look at some questions, wherever it comes from. */
  private see(seen: readonly KnownApproval[]): void {
    const before = this.state.rows;
    const rows = withApprovals(before, seen, performance.now());
    const news = rows.length > before.length && this.state.connection === 'live' ? seen.at(-1) : undefined;
    const opened = seen.find(({ approvalId }) => approvalId === this.openedId);
    this.change({
      rows,
      ...(opened === undefined ? {} : { opened: mergeApproval(this.shown(opened.approvalId), opened) }),
      ...(news === undefined ? {} : { announcement: `Approval needed: ${news.tool}, ${news.risk} risk.` }),
    });
  }

  private shown(approvalId: string): KnownApproval | undefined {
    return this.state.opened?.approvalId === approvalId ? this.state.opened : undefined;
  }

  private async readAgent(sessionId: string): Promise<void> {
    if (this.state.agents[sessionId] === undefined) {
      const { agent } = await readSession(sessionId);
      this.change({ agents: { ...this.state.agents, [sessionId]: agent } });
    }
  }

  private expectConnection(): void {
    clearTimeout(this.lostTimer);
    const cutAt = clockText(this.clock.nowMs());
    if (this.state.connection === 'lost') {
      return;
    }
    this.lostTimer = setTimeout(() => {
      this.change({ connection: 'lost', lostAt: cutAt, announcement: 'Connection lost.' });
    }, SAY_NOTHING_MS);
  }

  private decisionIdOf(content: string): string {
    const known = this.decisionIds.get(content) ?? `d_${crypto.randomUUID().replaceAll('-', '')}`;
    this.decisionIds.set(content, known);
    return known;
  }

  private setBar(approvalId: string, bar: BarState): void {
    this.change({ bars: { ...this.state.bars, [approvalId]: bar } });
  }

  private change(changed: Partial<InboxState>): void {
    this.state = { ...this.state, ...changed };
    this.onChange(this.state);
  }
}
