import type { ApprovalRecord } from '../core/approvals';
import { type Entry, type EntryOf, isEntry } from '../core/entries';
import {
  askKey,
  messageKey,
  notRunKey,
  replyKey,
  resultKey,
  sessionStartedKey,
  startedKey,
  turnKey,
} from '../core/entry-keys';
import { HoldpointError } from '../core/errors';
import { callPositionOf } from '../core/ids';
import { DEFAULT_LIMITS, type Limits } from '../core/limits';
import type { BlockOf } from '../core/messages';
import type { CallPlan } from '../core/tools';
import type { CatalogTool } from '../definitions/catalog';
import type { ParsedArguments } from '../definitions/define-tool';
import type { ActivityDependencies } from './activity-dependencies';
import { parseCallArguments } from './parse-call-arguments';
import { readQuestions } from './rebuild-reply';
import { sessionLimits } from './session-limits';
import type { SessionLog } from './session-log';
import type { CallScope } from './tool-context';

/** One start of a write, as the store holds it. */
export interface TryRecord {
  readonly try: number;
  readonly leaseUntilMs: number;
  readonly approvalId: string | undefined;
  /** False when that try said that its body never ran. */
  readonly mayHaveRun: boolean;
}

/** Everything the log says about one call. */
export interface CallRecord {
  readonly callId: string;
  readonly turn: number;
  readonly round: number;
  readonly plan: CallPlan;
  readonly block: BlockOf<'tool-call'>;
  readonly result: EntryOf<'tool.result'> | undefined;
  readonly tries: readonly TryRecord[];
  /** Every question it has led to, oldest first. */
  readonly questions: readonly ApprovalRecord[];
  readonly principal: string | undefined;
  readonly limits: Limits;
}

/** Reads a call from the log. Throws HoldpointError `invalid_request` for a call the log does not know. */
export async function readCall(
  dependencies: Pick<ActivityDependencies, 'catalog'>,
  log: SessionLog,
  callId: string,
): Promise<CallRecord> {
  const position = callPositionOf(callId);
  if (position === undefined) {
    throw unknownCall(callId);
  }
  const { turn, round } = position;
  // In one look: most calls have none of the rest, and each look is a transaction.
  const stored = await log.readEntriesOf([
    ...[replyKey(turn, round), resultKey(callId), turnKey(turn), sessionStartedKey(1)],
    ...[startedKey(callId, 1), askKey(callId, 1)],
  ]);
  const reply = stored.get(replyKey(turn, round));
  const data = isEntry(reply, 'model.reply') ? reply.data : undefined;
  const plan = data?.calls.find((call) => call.callId === callId);
  const block = data?.blocks.find(
    (candidate): candidate is BlockOf<'tool-call'> => candidate.type === 'tool-call' && candidate.callId === callId,
  );
  if (plan === undefined || block === undefined) {
    throw unknownCall(callId);
  }
  const result = stored.get(resultKey(callId));
  return {
    callId,
    turn,
    round,
    plan,
    block,
    result: isEntry(result, 'tool.result') ? result : undefined,
    tries: stored.has(startedKey(callId, 1)) ? await readTries(log, callId) : [],
    questions: stored.has(askKey(callId, 1)) ? await readQuestions(log, callId) : [],
    principal: await readPrincipal(log, stored.get(turnKey(turn))),
    limits: limitsOf(dependencies, stored.get(sessionStartedKey(1))),
  };
}

function unknownCall(callId: string): HoldpointError {
  return new HoldpointError('invalid_request', `The log has no call ${callId}.`);
}

/** The result of a call, when it has one. */
export async function readResult(log: SessionLog, callId: string): Promise<EntryOf<'tool.result'> | undefined> {
  const entry = await log.readEntry(resultKey(callId));
  return isEntry(entry, 'tool.result') ? entry : undefined;
}

/** The try whose fate nobody knows: the latest one, unless it never ran. Those before it were settled when it began. */
export function openTry(tries: readonly TryRecord[]): TryRecord | undefined {
  const latest = tries.at(-1);
  return latest?.mayHaveRun === true ? latest : undefined;
}

/** The arguments of a call as a definition takes them, and the call as its functions see it. */
export function scopeOf(
  log: SessionLog,
  call: CallRecord,
  tool: CatalogTool,
): { readonly parsed: ParsedArguments; readonly scope: CallScope } {
  const parsed = parseCallArguments(tool.definition, call.block.argumentsText);
  const { callId, principal } = call;
  const args = parsed.ok ? parsed.args : {};
  return { parsed, scope: { key: log.key, callId, tool: tool.definition.name, args, principal } };
}

async function readTries(log: SessionLog, callId: string): Promise<readonly TryRecord[]> {
  const tries: TryRecord[] = [];
  for (let tryNumber = 1; ; tryNumber += 1) {
    const started = await log.readEntry(startedKey(callId, tryNumber));
    if (!isEntry(started, 'tool.started')) {
      return tries;
    }
    const notRun = await log.readEntry(notRunKey(callId, tryNumber));
    tries.push({
      try: tryNumber,
      leaseUntilMs: Date.parse(started.data.leaseUntil),
      approvalId: started.data.approvalId,
      mayHaveRun: notRun === undefined,
    });
  }
}

async function readPrincipal(log: SessionLog, started: Entry | undefined): Promise<string | undefined> {
  const message = isEntry(started, 'turn.started')
    ? await log.readEntry(messageKey(started.data.messageId))
    : undefined;
  return isEntry(message, 'user.message') ? message.data.principal : undefined;
}

function limitsOf(dependencies: Pick<ActivityDependencies, 'catalog'>, started: Entry | undefined): Limits {
  return sessionLimits(dependencies, isEntry(started, 'session.started') ? started : undefined) ?? DEFAULT_LIMITS;
}
