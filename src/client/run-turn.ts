import { HoldpointError } from '../core/errors';
import type { ApprovalDetail, EntryView, SessionCreated, SessionStreamEvents } from '../core/http-answers';
import { isRecord } from '../core/json';
import type { TurnOutcome } from '../core/sessions';
import type { StreamEvent } from './watch-stream';

export interface RunInput {
  readonly agent: string;
  readonly message: string;
  /** Default: a new one. With one, a repeat after a crash of the caller waits for the session that exists. */
  readonly sessionId?: string;
  /** Hears of each question, so that somebody can be told or can decide. Default: the run waits for others to decide. */
  readonly onApproval?: (approval: ApprovalDetail) => void | Promise<void>;
}

export interface RunOutcome {
  readonly sessionId: string;
  readonly outcome: TurnOutcome;
  /** Why, for outcomes that have a code of their own. */
  readonly code?: string;
  /** What the agent said last; '' when it said nothing. */
  readonly text: string;
  /** The entry that ended the turn. */
  readonly lastSeq: number;
}

/** What a run needs of a client. */
interface RunClient {
  startSession(
    input: Pick<RunInput, 'agent' | 'message' | 'sessionId'>,
    options: { readonly signal?: AbortSignal },
  ): Promise<SessionCreated>;
  watchSession(
    sessionId: string,
    options: { readonly signal?: AbortSignal },
  ): AsyncIterable<StreamEvent<SessionStreamEvents>>;
  readApproval(approvalId: string, options: { readonly signal?: AbortSignal }): Promise<ApprovalDetail>;
}

const FIRST_TURN = 1;

/** See `HoldpointClient.run`. */
export async function runTurn(
  client: RunClient,
  { agent, message, sessionId: wanted, onApproval }: RunInput,
  signal: AbortSignal | undefined,
): Promise<RunOutcome> {
  const options = signal === undefined ? {} : { signal };
  // A task closes when its turn has ended: a run leaves no workflow behind that waits for more.
  const start = { agent, message, mode: 'task' as const, ...(wanted === undefined ? {} : { sessionId: wanted }) };
  const { sessionId } = await client.startSession(start, options);
  let text = '';
  for await (const event of client.watchSession(sessionId, options)) {
    if (event.type !== 'entry' || event.data.turn !== FIRST_TURN) {
      continue;
    }
    const { type, data, seq } = event.data;
    if (type === 'model.reply') {
      text = textOf(event.data);
    } else if (type === 'approval.requested' && onApproval !== undefined) {
      await onApproval(await client.readApproval(String(data['approvalId']), options));
    } else if (type === 'turn.ended') {
      const code = typeof data['code'] === 'string' ? { code: data['code'] } : {};
      return { sessionId, outcome: data['outcome'] as TurnOutcome, ...code, text, lastSeq: seq };
    }
  }
  throw new HoldpointError('gateway_unreachable', 'The stream of the session ended for good.');
}

function textOf({ data }: EntryView): string {
  const blocks = Array.isArray(data['blocks']) ? data['blocks'] : [];
  return blocks.map((block) => (isRecord(block) && block['type'] === 'text' ? String(block['text']) : '')).join('');
}
