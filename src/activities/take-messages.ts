import type { QueuedMessage, WorkflowAnswer } from '../core/activity-contracts';
import type { EntryDataMap, LogPosition, NewEntry } from '../core/entries';
import { isEntry } from '../core/entries';
import { injectKey, messageKey, replyKey, resultKey, turnKey } from '../core/entry-keys';
import { callPositionOf } from '../core/ids';
import type { Logger } from '../core/ports/logger';
import { wellFormedText } from '../core/well-formed-text';
import { injectedAnswer, resultText } from './result-text';
import type { SessionLog } from './session-log';

type UserMessage = EntryDataMap['user.message'];

/**
 * Writes the message that opens a turn, with the turn's start. A repeat finds it written. Resolves to false when there
 * is no turn to open: the message opened or joined another one before, or it is nowhere to be found.
 */
export async function openTurn(
  log: SessionLog,
  message: QueuedMessage,
  turn: number,
  logger: Logger,
): Promise<boolean> {
  const known = await log.readEntry(messageKey(message.messageId));
  if (known !== undefined) {
    const started = await log.readEntry(turnKey(turn));
    return isEntry(started, 'turn.started') && started.data.messageId === message.messageId;
  }
  const data = await readMessage(log, message, logger);
  if (data === undefined) {
    return false;
  }
  const { messageId } = message;
  const appended = await log.append({
    entries: [
      { key: messageKey(messageId), type: 'user.message', turn, data },
      { key: turnKey(turn), type: 'turn.started', turn, data: { messageId } },
    ],
    takes: [messageId],
  });
  const batch = 'entries' in appended ? appended.entries : [];
  return batch.some((entry) => entry.type === 'turn.started' && entry.turn === turn);
}

/** Writes a message that joins a round. One that is known already is skipped. */
export async function takeMessage(
  log: SessionLog,
  message: QueuedMessage,
  place: { readonly turn: number; readonly round: number },
  logger: Logger,
): Promise<void> {
  if ((await log.readEntry(messageKey(message.messageId))) !== undefined) {
    return;
  }
  const data = await readMessage(log, message, logger);
  if (data !== undefined) {
    const { messageId } = message;
    await log.append({
      entries: [{ key: messageKey(messageId), type: 'user.message', ...place, data }],
      takes: [messageId],
      onlyWhileOpen: { turn: place.turn },
    });
  }
}

/** The entries for queued messages that a cancelled turn drops; those that are known already are left out. */
export async function discardedMessages(
  log: SessionLog,
  messages: readonly QueuedMessage[],
  logger: Logger,
): Promise<readonly NewEntry[]> {
  const entries: NewEntry[] = [];
  for (const message of messages) {
    const key = messageKey(message.messageId);
    const data = (await log.readEntry(key)) === undefined ? await readMessage(log, message, logger) : undefined;
    if (data !== undefined) {
      entries.push({ key, type: 'user.message', data: { ...data, discarded: true } });
    }
  }
  return entries;
}

/** The results of calls that the workflow answers itself, because a limit of their turn was reached. */
export async function skippedResults(
  log: SessionLog,
  answers: readonly WorkflowAnswer[],
): Promise<readonly NewEntry[]> {
  const entries: NewEntry[] = [];
  for (const { callId, status } of answers) {
    const position = callPositionOf(callId);
    const reply = position && (await log.readEntry(replyKey(position.turn, position.round)));
    const plan = isEntry(reply, 'model.reply') ? reply.data.calls.find((call) => call.callId === callId) : undefined;
    if (position !== undefined && plan !== undefined) {
      const { turn, round } = position;
      const { tool, effect } = plan;
      const text = resultText(status, 'limit');
      entries.push({
        key: resultKey(callId),
        type: 'tool.result',
        turn,
        round,
        callId,
        data: { tool, status, code: 'call_aborted', text, effect },
      });
    }
  }
  return entries;
}

/** Tells the model what a human said became of a write of an earlier turn. */
export async function injectAnswer(
  log: SessionLog,
  approvalId: string,
  place: { readonly turn: number; readonly round: number; readonly ordinal: number },
): Promise<void> {
  const { turn, round, ordinal } = place;
  const key = injectKey(turn, round, ordinal);
  const approval = await log.read((store, { tenant }) => store.readApproval(tenant, approvalId));
  if (approval === undefined || (await log.readEntry(key)) !== undefined) {
    return;
  }
  const data = { source: `approval ${approvalId}`, content: wellFormedText(injectedAnswer(approval)) };
  await log.append({ entries: [{ key, type: 'context.injected', turn, round, data }], onlyWhileOpen: { turn } });
}

/**
 * The text of a message: the one in the store's inbox; else the one a plain Temporal client put into its signal, which
 * proves nothing about who sent it.
 */
async function readMessage(log: SessionLog, message: QueuedMessage, logger: Logger): Promise<UserMessage | undefined> {
  const { messageId } = message;
  const stored = await log.read((store, key) => store.readInboxMessage(key, messageId));
  if (stored !== undefined) {
    const { mode, content, principal, provenance } = stored;
    return { messageId, mode, content, provenance, ...(principal === undefined ? {} : { principal }) };
  }
  const { mode, content, principal } = message;
  if (content === undefined) {
    logger.warn('A message was announced that the store does not hold.', { ...log.key, messageId });
    return undefined;
  }
  return signalledMessage({ messageId, mode, content, ...(principal === undefined ? {} : { principal }) });
}

/** Moves texts that came by signals into the store's inbox, where they wait for their turns. */
export async function storeMessages(
  log: SessionLog,
  messages: readonly QueuedMessage[],
  at: string,
): Promise<LogPosition | undefined> {
  const texts = messages.flatMap(({ content, ...message }) =>
    content === undefined ? [] : [{ principal: undefined, ...signalledMessage({ ...message, content }) }],
  );
  const { last } = await log.write((store, fence) => store.storeMessages(fence, { messages: texts, at }));
  return last;
}

function signalledMessage({ messageId, mode, content, principal }: QueuedMessage & { content: string }): UserMessage {
  const sender = principal === undefined ? {} : { principal: wellFormedText(principal) };
  return { messageId, mode, content: wellFormedText(content), provenance: 'request', ...sender };
}
