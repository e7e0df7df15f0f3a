import { HoldpointError } from '../core/errors';
import type { EntryView } from '../core/http-answers';
import type { TurnOutcome } from '../core/sessions';
import type { CommandContext } from './on-gateway';
import { foreignLine } from './text/foreign-text';
import { replyText } from './text/reply-text';

/** The turn to follow: its number, or the message that opens or joins it. */
export type TurnWanted = { readonly turn: number } | { readonly messageId: string };

export interface TurnEnd {
  readonly sessionId: string;
  readonly turn: number | null;
  readonly outcome: TurnOutcome;
  readonly code?: string;
  /** What the agent said last; foreign text. */
  readonly text: string;
  readonly lastSeq: number;
}

/**
 * Waits for the end of a turn, and says on standard error what goes on meanwhile: what runs, and which questions wait for
 * a decision.
 *
 * @param after Position in the log before the turn.
 */
export async function followTurn(
  { client, output, signal }: CommandContext,
  sessionId: string,
  wanted: TurnWanted,
  after: number,
): Promise<TurnEnd> {
  let turn = 'turn' in wanted ? wanted.turn : undefined;
  let text = '';
  for await (const event of client.watchSession(sessionId, { after, signal })) {
    if (event.type === 'status' && event.data !== null && event.data.turn === turn) {
      output.note(`${foreignLine(event.data.text)} (round ${event.data.round} of ${event.data.maxRounds})`);
    }
    if (event.type !== 'entry') {
      continue;
    }
    const entry = event.data;
    if ('messageId' in wanted && entry.type === 'user.message' && entry.data['messageId'] === wanted.messageId) {
      turn = entry.turn ?? undefined;
      if (entry.data['discarded'] === true) {
        return { sessionId, turn: entry.turn, outcome: 'cancelled', text: '', lastSeq: entry.seq };
      }
    }
    if (turn === undefined || entry.turn !== turn) {
      continue;
    }
    text = entry.type === 'model.reply' ? replyText(entry.data['blocks']) : text;
    noteQuestion(entry, output.note);
    if (entry.type === 'turn.ended') {
      const code = typeof entry.data['code'] === 'string' ? { code: entry.data['code'] } : {};
      const outcome = entry.data['outcome'] as TurnOutcome;
      return { sessionId, turn, outcome, ...code, text, lastSeq: entry.seq };
    }
  }
  throw new HoldpointError('gateway_unreachable', 'the stream of the session ended for good');
}

function noteQuestion({ type, data }: EntryView, note: (line: string) => void): void {
  if (type === 'approval.requested') {
    note(`Waits for a decision: ${foreignLine(String(data['summary']))}`);
    note(`  holdpoint approvals show ${foreignLine(String(data['approvalId']))}`);
  } else if (type === 'approval.decided') {
    note(`Decided: ${foreignLine(String(data['decision']))} by ${foreignLine(String(data['principal']))}`);
  }
}
