import type { EntryView } from '../../core/http-answers';
import type { TurnWanted } from '../follow-turn';
import type { CommandContext } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';
import { replyText } from '../text/reply-text';
import type { ChatScreen } from './chat-screen';
import { LiveReply } from './live-reply';
import type { QuestionDesk } from './question-desk';

export interface ChatTurnOptions {
  readonly sessionId: string;
  readonly wanted: TurnWanted;
  /** Position in the log to begin behind. */
  readonly after: number;
  readonly screen: ChatScreen;
  readonly desk: QuestionDesk;
  /** Ends the chat with its reason. */
  readonly signal: AbortSignal;
  /** Hears which turn it is, once that is known. */
  readonly onTurn: (turn: number) => void;
}

/** Shows a turn as it goes, and has its questions asked. Returns the last position it saw in the log. */
export async function followChatTurn({ client }: CommandContext, options: ChatTurnOptions): Promise<number> {
  const { sessionId, wanted, after, screen, desk, signal, onTurn } = options;
  const reply = new LiveReply();
  let turn = 'turn' in wanted ? wanted.turn : undefined;
  let lastSeq = after;
  for await (const event of client.watchSession(sessionId, { after, signal })) {
    if (event.type === 'chunk' && event.data.turn === turn) {
      const text = reply.accept(event.data);
      if (text !== undefined && text !== '') {
        screen.showReply(text);
      }
    } else if (event.type === 'status') {
      screen.showStatus(event.data === null ? '' : foreignLine(event.data.text));
    } else if (event.type === 'entry') {
      const entry = event.data;
      lastSeq = entry.seq;
      if ('messageId' in wanted && entry.type === 'user.message' && entry.data['messageId'] === wanted.messageId) {
        turn = entry.turn ?? undefined;
        if (entry.data['discarded'] === true) {
          return lastSeq;
        }
      }
      if (turn !== undefined) {
        onTurn(turn);
      }
      showEntry(entry, screen, desk);
      if (entry.type === 'turn.ended' && entry.turn === turn) {
        return lastSeq;
      }
    }
  }
  return lastSeq;
}

function showEntry({ type, data }: EntryView, screen: ChatScreen, desk: QuestionDesk): void {
  const word = (name: string) => foreignLine(String(data[name] ?? ''));
  switch (type) {
    case 'model.reply':
      screen.keepReply(replyText(data['blocks']));
      break;
    case 'model.retry':
      screen.say(`(attempt ${word('attempt')} failed: ${word('code')})`);
      break;
    case 'approval.requested':
      desk.add(String(data['approvalId']));
      break;
    case 'approval.decided':
      desk.close(String(data['approvalId']));
      break;
    case 'tool.result':
      screen.say(`· ${word('tool')}: ${word('status')} ${word('code')}`.trimEnd());
      break;
    case 'turn.ended':
      screen.showStatus('');
      if (data['outcome'] !== 'completed') {
        screen.say(`The turn ended as ${word('outcome')} ${word('code')}`.trimEnd());
      }
      break;
    default:
      break;
  }
}
