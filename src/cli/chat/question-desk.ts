import type { ApprovalDetail } from '../../core/http-answers';
import type { CommandContext } from '../on-gateway';
import { printApproval } from '../print-approval';
import { foreignLine } from '../text/foreign-text';
import { decidedText, outcomeText } from '../text/outcome-text';
import type { Answer, ChatKeyboard } from './chat-keyboard';
import { chatAnswer, chatQuestion } from './chat-questions';
import type { ChatScreen } from './chat-screen';

/** How long a question has to stand on the screen before a key counts. */
const STEADY_MS = 600;

export interface QuestionDeskOptions {
  readonly context: CommandContext;
  readonly screen: ChatScreen;
  readonly keyboard: ChatKeyboard;
  /** Ends every question with its reason. */
  readonly signal: AbortSignal;
  /** Hears of Ctrl-C at a question. */
  readonly onInterrupt: () => void;
  /** Hears that the person left with Ctrl-D at a question. */
  readonly onEnd: () => void;
  /** Hears what broke while a question was asked. */
  readonly onFailure: (error: unknown) => void;
}

/** Asks the questions of a session one after another. One that is decided elsewhere is taken away. */
export class QuestionDesk {
  private readonly options: QuestionDeskOptions;
  private readonly open: string[] = [];
  private asked: { readonly approvalId: string; readonly closed: AbortController } | undefined;
  private asking: Promise<void> = Promise.resolve();

  constructor(options: QuestionDeskOptions) {
    this.options = options;
  }

  /** Asks it when the ones before are answered. */
  add(approvalId: string): void {
    this.open.push(approvalId);
    if (this.asked === undefined) {
      this.asking = this.askAll();
    }
  }

  /** It is decided, by whomever: it is asked no longer. */
  close(approvalId: string): void {
    const index = this.open.indexOf(approvalId);
    if (index !== -1) {
      this.open.splice(index, 1);
    }
    if (this.asked?.approvalId === approvalId) {
      this.asked.closed.abort();
    }
  }

  /** Resolves when nothing is asked. */
  idle(): Promise<void> {
    return this.asking;
  }

  private async askAll(): Promise<void> {
    for (let approvalId = this.open.shift(); approvalId !== undefined; approvalId = this.open.shift()) {
      const closed = new AbortController();
      this.asked = { approvalId, closed };
      try {
        await this.ask(approvalId, AbortSignal.any([this.options.signal, closed.signal]));
      } catch (error) {
        if (!closed.signal.aborted) {
          this.options.onFailure(error);
          return;
        }
        await this.tellDecided(approvalId);
      } finally {
        this.asked = undefined;
        this.options.screen.release();
      }
    }
  }

  private async ask(approvalId: string, signal: AbortSignal): Promise<void> {
    const { context, screen, keyboard } = this.options;
    const approval = await context.client.readApproval(approvalId, { signal });
    if (approval.status !== 'pending') {
      screen.say(decidedText({ approval }, Date.now()));
      return;
    }
    screen.hold();
    printApproval(context.output.print, context.output.style, approval);
    for (let steadyMs = STEADY_MS; ; steadyMs = 0) {
      const answer = await keyboard.ask(chatQuestion(approval), signal, steadyMs);
      if (answer.kind !== 'line') {
        this.leave(answer);
        return;
      }
      const meant = chatAnswer(approval, answer.line);
      if (meant.kind === 'later') {
        context.output.print(`It stays open: holdpoint approvals show ${foreignLine(approvalId)}`);
        return;
      }
      if (meant.kind === 'decide' && (await this.decide(approval, meant.decision, signal))) {
        return;
      }
      if (meant.kind === 'nothing') {
        context.output.print('Nothing was decided.');
      }
    }
  }

  /** False when the person went back. */
  private async decide(
    approval: ApprovalDetail,
    decision: Parameters<typeof outcomeText>[0],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { context, keyboard } = this.options;
    const { approvalId, argumentsDigest, risk } = approval;
    let comment: string | undefined;
    if (decision === 'reject') {
      const reason = await keyboard.ask('reason (sent to the agent): ', signal);
      if (reason.kind !== 'line') {
        this.leave(reason);
        return true;
      }
      comment = reason.line.trim() === '' ? undefined : reason.line;
      if (comment === undefined && risk === 'high') {
        context.output.print('A reason is needed: the risk is high. Nothing was decided.');
        return false;
      }
    }
    // Not ended by the news of its own answer.
    const answer = await context.client.decide(
      approvalId,
      { decision, argumentsDigest, ...(comment === undefined ? {} : { comment }) },
      { signal: this.options.signal },
    );
    context.output.print(outcomeText(decision, answer, Date.now()));
    return true;
  }

  private leave(answer: Answer): void {
    if (answer.kind === 'end') {
      this.options.onEnd();
    } else {
      this.options.onInterrupt();
    }
  }

  private async tellDecided(approvalId: string): Promise<void> {
    const { context, signal } = this.options;
    const approval = await context.client.readApproval(approvalId, { signal });
    context.output.print('');
    context.output.print(decidedText({ approval }, Date.now()));
  }
}
