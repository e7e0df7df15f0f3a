import type { ApprovalRecord } from '../core/approvals';
import { type Entry, isEntry } from '../core/entries';
import { HoldpointError } from '../core/errors';
import type { SessionKey } from '../core/ids';
import type { ModelRequest } from '../core/ports/model-adapter';
import type { SessionStore } from '../core/ports/session-store';
import type { TurnOutcome } from '../core/sessions';
import { type LoggedCall, loggedCalls, ofType } from './logged-calls';

/** One turn of a run that has ended. */
export interface TurnRun {
  readonly turn: number;
  readonly outcome: TurnOutcome;
  /** Error code of a turn that failed. */
  readonly code: string | undefined;
  /** Text of its last reply; '' when that has none. */
  readonly text: string;
  readonly rounds: number;
}

/** What a run left behind. Everything but the requests was read from the store, as a gateway would read it. */
export interface AgentRun {
  /** How the last turn ended. */
  readonly outcome: TurnOutcome;
  /** Text of the last reply. */
  readonly text: string;
  /** In order, one for each message that opened one. */
  readonly turns: readonly TurnRun[];
  /** The session's log. */
  readonly entries: readonly Entry[];
  /** Every question, in the order they were asked, with its status and decisions. */
  readonly approvals: readonly ApprovalRecord[];
  /** Every call, in the order the model asked. */
  readonly calls: readonly LoggedCall[];
  /** What the model was asked, one for each attempt. */
  readonly requests: readonly ModelRequest[];
}

const PAGE_ENTRIES = 500;

/** Reads what a session left behind. Throws HoldpointError `not_as_scripted` when no turn has ended. */
export async function readAgentRun(
  store: SessionStore,
  key: SessionKey,
  requests: readonly ModelRequest[],
): Promise<AgentRun> {
  const entries = await readAll(store, key);
  const turns = turnsOf(entries);
  const last = turns.at(-1);
  if (last === undefined) {
    throw new HoldpointError('not_as_scripted', 'No turn has ended.');
  }
  const approvals: ApprovalRecord[] = [];
  for (const { data } of ofType(entries, 'approval.requested')) {
    const approval = await store.readApproval(key.tenant, data.approvalId);
    approvals.push(...(approval === undefined ? [] : [approval]));
  }
  return {
    outcome: last.outcome,
    text: last.text,
    turns,
    entries,
    approvals,
    calls: loggedCalls(entries),
    requests,
  };
}

async function readAll(store: SessionStore, key: SessionKey): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const page = await store.readEntries(key, entries.length, PAGE_ENTRIES);
    entries.push(...page);
    if (page.length < PAGE_ENTRIES) {
      return entries;
    }
  }
}

function turnsOf(entries: readonly Entry[]): readonly TurnRun[] {
  return ofType(entries, 'turn.ended').map(({ turn = 0, data }) => {
    const reply = entries.findLast((entry) => isEntry(entry, 'model.reply') && entry.turn === turn);
    const blocks = isEntry(reply, 'model.reply') ? reply.data.blocks : [];
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return { turn, outcome: data.outcome, code: data.code, text, rounds: data.rounds };
  });
}
