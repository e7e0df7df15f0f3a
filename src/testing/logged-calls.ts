import { type Entry, type EntryOf, type EntryType, isEntry } from '../core/entries';
import type { JsonValue } from '../core/json';
import type { CallVerdict, ToolStatus } from '../core/tools';

/** One tool call, as a session's log tells it. */
export interface LoggedCall {
  readonly callId: string;
  readonly turn: number;
  readonly round: number;
  /** The name the model wrote, also when there is no such tool. */
  readonly tool: string;
  /** The arguments the model wrote; undefined when they are no JSON. */
  readonly arguments: JsonValue | undefined;
  readonly verdict: CallVerdict | undefined;
  /** How often somebody was asked whether it may run. */
  readonly asked: number;
  /** How often the tool's `execute` was started, as far as the log knows. */
  readonly ran: number;
  /** How it ended; undefined while it has no result. */
  readonly status: ToolStatus | undefined;
  /** What the model read; undefined while there is no result. */
  readonly text: string | undefined;
}

/** Results of reads whose body ran; a read leaves no other trace. */
const RAN: readonly (ToolStatus | undefined)[] = ['success', 'error', 'timeout'];

/** Every call of a log, in the order the model asked. */
export function loggedCalls(entries: readonly Entry[]): readonly LoggedCall[] {
  return ofType(entries, 'model.reply').flatMap(({ turn = 0, round = 0, data }) =>
    data.blocks.flatMap((block) => {
      if (block.type !== 'tool-call') {
        return [];
      }
      const { callId, name: tool, argumentsText } = block;
      const plan = data.calls.find((call) => call.callId === callId);
      return [
        {
          ...{ callId, turn, round, tool },
          arguments: jsonOf(argumentsText),
          verdict: plan?.verdict,
          ...fate(
            entries.filter((entry) => entry.callId === callId),
            plan?.verdict,
          ),
        },
      ];
    }),
  );
}

/** The entries of one type. */
export function ofType<Type extends EntryType>(entries: readonly Entry[], type: Type): readonly EntryOf<Type>[] {
  return entries.filter((entry): entry is EntryOf<Type> => isEntry(entry, type));
}

function fate(
  entries: readonly Entry[],
  verdict: CallVerdict | undefined,
): Pick<LoggedCall, 'asked' | 'ran' | 'status' | 'text'> {
  const result = ofType(entries, 'tool.result')[0]?.data;
  const tries = ofType(entries, 'tool.started').length - ofType(entries, 'tool.not_run').length;
  const mayRun = verdict === 'run' || verdict === 'review';
  const isReadThatRan = mayRun && result?.effect === 'read' && RAN.includes(result.status);
  return {
    asked: ofType(entries, 'approval.requested').filter(({ data }) => data.kind === 'call').length,
    ran: tries === 0 && isReadThatRan ? 1 : tries,
    status: result?.status,
    text: result?.text,
  };
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text === '' ? '{}' : text) as JsonValue;
  } catch {
    return undefined;
  }
}
