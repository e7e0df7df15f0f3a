import { EXIT_CODES, type ExitCode } from '../exit-codes';
import type { TurnWanted } from '../follow-turn';
import type { CommandContext } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';
import { ChatKeyboard } from './chat-keyboard';
import { ChatScreen } from './chat-screen';
import { followChatTurn } from './chat-turn';
import { QuestionDesk } from './question-desk';

/** Where a chat begins: a new session of an agent, or one that there is. */
export type ChatStart = { readonly agent: string } | { readonly sessionId: string };

/** Ends a chat. */
class Leaving extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super('leaving');
    this.exitCode = exitCode;
  }
}

/**
 * Talks with an agent at the terminal and has its questions decided there, until the person leaves with Ctrl-D or
 * Ctrl-C. While a turn is open, Ctrl-C cancels it first and leaves the second time. The session goes on without us.
 */
export async function runChat(context: CommandContext, start: ChatStart): Promise<ExitCode> {
  const leaving = new AbortController();
  const chat = new Chat(context, AbortSignal.any([context.signal, leaving.signal]), (reason) => leaving.abort(reason));
  try {
    return await chat.run(start);
  } catch (error) {
    const cause: unknown = leaving.signal.aborted ? leaving.signal.reason : error;
    if (cause instanceof Leaving) {
      return cause.exitCode;
    }
    throw cause;
  } finally {
    chat.close();
  }
}

class Chat {
  private readonly context: CommandContext;
  private readonly signal: AbortSignal;
  private readonly leave: (reason: unknown) => void;
  private readonly screen: ChatScreen;
  private readonly keyboard: ChatKeyboard;
  private readonly desk: QuestionDesk;
  private sessionId = '';
  private turn: number | undefined;
  private hasCancelled = false;
  private lastSeq = 0;

  constructor(context: CommandContext, signal: AbortSignal, leave: (reason: unknown) => void) {
    this.context = context;
    this.signal = signal;
    this.leave = leave;
    const onInterrupt = () => this.interrupt();
    this.screen = new ChatScreen(context.output);
    this.keyboard = new ChatKeyboard(process.stdin, process.stdout, onInterrupt);
    this.desk = new QuestionDesk({
      context,
      screen: this.screen,
      keyboard: this.keyboard,
      signal,
      onInterrupt,
      onEnd: () => leave(new Leaving(EXIT_CODES.done)),
      onFailure: leave,
    });
  }

  async run(start: ChatStart): Promise<ExitCode> {
    this.keyboard.open();
    if ('sessionId' in start) {
      await this.goOn(start.sessionId);
    }
    for (;;) {
      const answer = await this.keyboard.ask('you> ', this.signal);
      if (answer.kind !== 'line') {
        return answer.kind === 'end' ? EXIT_CODES.done : EXIT_CODES.interrupted;
      }
      if (answer.line.trim() !== '') {
        await this.follow(await this.send(answer.line, start));
      }
    }
  }

  close(): void {
    this.keyboard.close();
    if (this.sessionId !== '') {
      this.context.output.print('');
      this.context.output.print(`The session goes on: holdpoint chat --session ${foreignLine(this.sessionId)}`);
    }
  }

  private async goOn(sessionId: string): Promise<void> {
    const { turn, lastSeq, openApprovals } = await this.context.client.readSession(sessionId, { signal: this.signal });
    this.sessionId = sessionId;
    this.lastSeq = lastSeq;
    if (turn !== null) {
      for (const approvalId of openApprovals) {
        this.desk.add(approvalId);
      }
      await this.follow({ turn });
    }
  }

  private async send(message: string, start: ChatStart): Promise<TurnWanted> {
    const { client } = this.context;
    if (this.sessionId === '' && 'agent' in start) {
      const { sessionId } = await client.startSession({ agent: start.agent, message }, { signal: this.signal });
      this.sessionId = sessionId;
      this.screen.say(this.context.output.style('quiet', `session ${foreignLine(sessionId)}`));
      return { turn: 1 };
    }
    return client.sendMessage(this.sessionId, { content: message }, { signal: this.signal });
  }

  private async follow(wanted: TurnWanted): Promise<void> {
    this.hasCancelled = false;
    this.lastSeq = await followChatTurn(this.context, {
      sessionId: this.sessionId,
      wanted,
      after: this.lastSeq,
      screen: this.screen,
      desk: this.desk,
      signal: this.signal,
      onTurn: (turn) => {
        this.turn = turn;
      },
    });
    this.turn = undefined;
    await this.desk.idle();
  }

  private interrupt(): void {
    if (this.hasCancelled) {
      this.leave(new Leaving(EXIT_CODES.interrupted));
      return;
    }
    this.hasCancelled = true;
    this.screen.say('Cancelling the turn; Ctrl-C again leaves.');
    const cancel = this.turn === undefined ? {} : { turn: this.turn };
    this.context.client.cancelTurn(this.sessionId, cancel, { signal: this.signal }).catch(this.leave);
  }
}
