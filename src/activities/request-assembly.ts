/**
 * The one place where a model request is made from the log. Everything here is a pure function of entries, so any
 * request can be rebuilt byte for byte from its header and the last sequence it saw.
 */
import { canonicalJson } from '../core/canonical-json';
import { type Entry, type EntryDataMap, type EntryOf, isEntry, type ToolResultData } from '../core/entries';
import type { Block, Message } from '../core/messages';
import type { ModelRequest } from '../core/ports/model-adapter';
import type { TurnOutcome } from '../core/sessions';
import type { CatalogAgent } from '../definitions/catalog';
import { envelope, withoutForgedTags } from './envelope';
import { finalInstruction, resultText } from './result-text';

export type RequestHeader = EntryDataMap['request.header'];

/** The header of an agent's requests: its system prompt and its tools, in an order that never changes by itself. */
export function headerOf(agent: CatalogAgent): RequestHeader {
  const tools = agent.tools.map(({ schema }) => schema);
  return {
    agentDigest: agent.digest,
    model: `${agent.modelApi}:${agent.modelName}`,
    system: agent.system,
    tools: tools.sort((left, right) => (left.name < right.name ? -1 : 1)),
  };
}

/** The header of a round without tools; its instruction is part of this round's system prompt only. */
export function finalHeaderOf(header: RequestHeader, outcome: TurnOutcome): RequestHeader {
  const system = [header.system, finalInstruction(outcome)].filter((section) => section !== '').join('\n\n');
  return { ...header, system, tools: [], final: true };
}

/** The header the last request of a log was made with. `withTools` looks past rounds that offered none. */
export function lastHeader(
  entries: readonly Entry[],
  options: { readonly withTools: boolean },
): EntryOf<'request.header'> | undefined {
  return entries.findLast(
    (entry): entry is EntryOf<'request.header'> =>
      isEntry(entry, 'request.header') && !(options.withTools && entry.data.final === true),
  );
}

/** True when two headers say the same. */
export function isSameHeader(left: RequestHeader, right: RequestHeader): boolean {
  return left === right || canonicalJson(left) === canonicalJson(right);
}

/** The request a header and the entries up to `readThrough` make. */
export function buildRequest(header: RequestHeader, entries: readonly Entry[], readThrough: number): ModelRequest {
  const seen = entries.filter((entry) => entry.seq <= readThrough);
  return {
    model: header.model.slice(header.model.indexOf(':') + 1),
    system: header.system,
    messages: messagesOf(seen),
    tools: header.tools,
  };
}

function messagesOf(entries: readonly Entry[]): readonly Message[] {
  const results = new Map<string, ToolResultData>();
  const openings = new Set<string>();
  for (const entry of entries) {
    if (isEntry(entry, 'tool.result') && entry.callId !== undefined) {
      results.set(entry.callId, entry.data);
    } else if (isEntry(entry, 'turn.started')) {
      openings.add(entry.data.messageId);
    }
  }
  return entries.flatMap((entry) => messagesOfEntry(entry, results, openings));
}

function messagesOfEntry(
  entry: Entry,
  results: ReadonlyMap<string, ToolResultData>,
  openings: ReadonlySet<string>,
): readonly Message[] {
  switch (entry.type) {
    case 'user.message':
      return entry.data.discarded === true ? [] : [userText(userMessageText(entry, openings))];
    case 'context.injected':
      return [userText(envelope('note', { source: entry.data.source }, entry.data.content))];
    case 'model.reply':
      return replyMessages(entry, results);
    case 'model.partial':
      return partialMessages(entry);
    default:
      return [];
  }
}

/** What opened a turn stands as it was written; what joined one says how it came. */
function userMessageText({ data }: EntryOf<'user.message'>, openings: ReadonlySet<string>): string {
  if (openings.has(data.messageId)) {
    return withoutForgedTags(data.content);
  }
  const sender: Record<string, string> = data.principal === undefined ? {} : { from: data.principal };
  return envelope('message', { mode: data.mode, ...sender }, data.content);
}

/** A reply, and behind it the results of its calls in the order of the calls, whenever they were logged. */
function replyMessages(
  { data }: EntryOf<'model.reply'>,
  results: ReadonlyMap<string, ToolResultData>,
): readonly Message[] {
  const calls = data.blocks.filter((block) => block.type === 'tool-call');
  const answers = calls.map((call): Block => {
    const result = results.get(call.callId);
    return {
      type: 'tool-result',
      callId: call.callId,
      name: call.name,
      // A provider refuses a call without a result; this can only be one that a crash left behind.
      text: result === undefined ? resultText('aborted') : withoutForgedTags(result.text),
      isError: result?.status !== 'success',
    };
  });
  return [
    ...(data.blocks.length === 0 ? [] : [{ role: 'assistant' as const, blocks: data.blocks }]),
    ...(answers.length === 0 ? [] : [{ role: 'user' as const, blocks: answers }]),
  ];
}

/** Of a reply that a cancel cut, the model reads its text again; calls in it never ran and were never complete. */
function partialMessages({ data }: EntryOf<'model.partial'>): readonly Message[] {
  const blocks = data.blocks.filter((block) => block.type === 'text' && block.text.trim() !== '');
  const note = envelope('note', { source: 'holdpoint' }, 'The reply before this was cut off: the turn was cancelled.');
  return blocks.length === 0 ? [] : [{ role: 'assistant', blocks }, userText(note)];
}

function userText(text: string): Message {
  return { role: 'user', blocks: [{ type: 'text', text }] };
}
