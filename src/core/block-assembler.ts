import type { Chunk } from './chunks';
import { HoldpointError } from './errors';
import { callIdAt } from './ids';
import type { JsonObject } from './json';
import { type Block, type FinishReason, NO_USAGE, type Usage } from './messages';
import { wellFormedText } from './well-formed-text';

/**
 * Turns the chunks of one model call into blocks. It is the only place where that happens.
 *
 * States: open -> (first `finish` chunk) -> finished. While open every chunk is taken; when finished only usage is,
 * since some providers send it last. Nothing is decided before `finish`: arguments that happen to be complete JSON
 * half-way are not a call yet.
 */
export interface BlockAssembler {
  /** Takes the next chunk. Never throws. */
  push(chunk: Chunk): void;
  /**
   * What the stream was, once it has ended; may be called again and gives the same.
   * Throws HoldpointError `model_stream_cut` when no `finish` chunk came, however complete the blocks look, and
   * `model_empty_response` when a reply that says it stopped by itself holds nothing.
   */
  finish(): AssembledReply;
  /** The non-blank text and reasoning so far, for a reply that is given up: never a call, never a provider's raw data. */
  partial(): readonly Block[];
}

/** A whole reply. Calls are numbered from 1 in the order in which they first appeared. */
export interface AssembledReply {
  readonly blocks: readonly Block[];
  /** `tool-calls` exactly when there are calls to run. */
  readonly finish: FinishReason;
  readonly usage: Usage;
}

interface TextDraft {
  readonly kind: 'text' | 'reasoning';
  text: string;
  raw: JsonObject | undefined;
}

interface CallDraft {
  readonly kind: 'tool-call';
  providerCallId: string;
  name: string;
  argumentsText: string;
  raw: JsonObject | undefined;
}

type Draft = TextDraft | CallDraft;
type CallDelta = Extract<Chunk, { type: 'tool-call-delta' }>;

/** Reasons after which calls are complete and meant. After any other one a call may be cut, so none is kept. */
const SAFE_REASONS: ReadonlySet<FinishReason> = new Set<FinishReason>(['stop', 'tool-calls']);

/** @param position Turn and round of the call, from which the ids of its tool calls are derived. */
export function createBlockAssembler(position: { readonly turn: number; readonly round: number }): BlockAssembler {
  const drafts = createDrafts();
  let reason: FinishReason | undefined;
  let usage: Usage = NO_USAGE;
  return {
    push(chunk) {
      if (chunk.type === 'usage') {
        usage = laterUsage(usage, chunk.usage);
      } else if (chunk.type === 'finish') {
        reason ??= chunk.reason;
      } else if (reason === undefined) {
        drafts.take(chunk);
      }
    },
    finish() {
      if (reason === undefined) {
        throw new HoldpointError('model_stream_cut', 'The model stream ended without a finish.', {
          blocks: drafts.inOrder().length,
        });
      }
      const blocks = finishedBlocks(drafts.inOrder(), SAFE_REASONS.has(reason), position);
      const hasCalls = blocks.some(({ type }) => type === 'tool-call');
      if (blocks.length === 0 && SAFE_REASONS.has(reason)) {
        throw new HoldpointError('model_empty_response', `The model replied nothing and finished with ${reason}.`);
      }
      return { blocks, finish: SAFE_REASONS.has(reason) ? (hasCalls ? 'tool-calls' : 'stop') : reason, usage };
    },
    partial: () =>
      drafts.inOrder().flatMap((draft): Block[] => {
        return draft.kind === 'tool-call' || isBlank(draft.text)
          ? []
          : [{ type: draft.kind, text: wellFormedText(draft.text) }];
      }),
  };
}

/** Blocks under construction, in the order in which they were first seen. */
function createDrafts() {
  const order: Draft[] = [];
  /** Drafts an index was used for, oldest first; an index is only a hint and may be used for several. */
  const byIndex = new Map<number, Draft[]>();
  const orphanRaw = new Map<number, JsonObject>();

  function open<Kind extends Draft>(index: number, draft: Kind): Kind {
    draft.raw = orphanRaw.get(index);
    orphanRaw.delete(index);
    order.push(draft);
    byIndex.set(index, [...(byIndex.get(index) ?? []), draft]);
    return draft;
  }

  function textAt(index: number, kind: TextDraft['kind']): TextDraft {
    const known = byIndex.get(index)?.findLast((draft): draft is TextDraft => draft.kind === kind);
    return known ?? open(index, { kind, text: '', raw: undefined });
  }

  function callFor(delta: CallDelta): CallDraft {
    const known = (byIndex.get(delta.index) ?? []).filter((draft) => draft.kind === 'tool-call');
    return (
      pickCall(known, delta) ??
      open(delta.index, { kind: 'tool-call', providerCallId: '', name: '', argumentsText: '', raw: undefined })
    );
  }

  return {
    inOrder: (): readonly Draft[] => order,
    take(chunk: Exclude<Chunk, { type: 'usage' | 'finish' }>): void {
      switch (chunk.type) {
        case 'text-delta':
          textAt(chunk.index, 'text').text += chunk.text;
          return;
        case 'reasoning-delta':
          textAt(chunk.index, 'reasoning').text += chunk.text;
          return;
        case 'tool-call-delta': {
          const call = callFor(chunk);
          // The first id and the first name stand; an empty one means that none was sent.
          call.providerCallId ||= chunk.providerCallId ?? '';
          call.name ||= chunk.name ?? '';
          call.argumentsText += chunk.argumentsText ?? '';
          return;
        }
        case 'block-raw': {
          const draft = byIndex.get(chunk.index)?.at(-1);
          if (draft === undefined) {
            orphanRaw.set(chunk.index, chunk.raw);
          } else {
            draft.raw = chunk.raw;
          }
        }
      }
    },
  };
}

/**
 * The call at this index that a delta belongs to, or undefined when it opens one. Two different ids, or two different
 * names, are never one call, even at the same index.
 */
function pickCall(
  known: readonly CallDraft[],
  { providerCallId: id = '', name = '' }: CallDelta,
): CallDraft | undefined {
  const latest = known.at(-1);
  if (latest === undefined || (id !== '' && known.some((call) => call.providerCallId === id))) {
    return known.find((call) => call.providerCallId === id);
  }
  const hasOtherId = id !== '' && latest.providerCallId !== '';
  const hasOtherName = name !== '' && latest.name !== '' && latest.name !== name;
  return hasOtherId || hasOtherName ? undefined : latest;
}

function finishedBlocks(
  drafts: readonly Draft[],
  keepCalls: boolean,
  { turn, round }: { readonly turn: number; readonly round: number },
): readonly Block[] {
  const blocks: Block[] = [];
  let ordinal = 0;
  for (const draft of drafts) {
    if (draft.kind === 'tool-call') {
      if (keepCalls && !isPhantom(draft)) {
        ordinal += 1;
        blocks.push({
          type: 'tool-call',
          callId: callIdAt(turn, round, ordinal),
          ...(draft.providerCallId === '' ? {} : { providerCallId: wellFormedText(draft.providerCallId) }),
          name: wellFormedText(draft.name),
          argumentsText: wellFormedText(draft.argumentsText),
          ...(draft.raw === undefined ? {} : { raw: draft.raw }),
        });
      }
    } else if (draft.kind === 'text') {
      if (!isBlank(draft.text)) {
        blocks.push({ type: 'text', text: wellFormedText(draft.text) });
      }
    } else if (draft.raw !== undefined || !isBlank(draft.text)) {
      // Reasoning without text may still be a signature that the provider wants back.
      const raw = draft.raw === undefined ? {} : { raw: draft.raw };
      blocks.push({ type: 'reasoning', text: wellFormedText(draft.text), ...raw });
    }
  }
  return blocks;
}

/** A slot that a provider opened by mistake: nothing in it says that a call was meant. */
function isPhantom({ providerCallId, name, argumentsText }: CallDraft): boolean {
  return providerCallId === '' && name === '' && isBlank(argumentsText);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Providers report growing totals, some of them in parts: the last count that is not 0 stands, field by field. */
function laterUsage(known: Usage, next: Usage): Usage {
  const later = (field: keyof Usage): number => countOf(next[field]) || (known[field] ?? 0);
  const cacheReadTokens = later('cacheReadTokens');
  const cacheWriteTokens = later('cacheWriteTokens');
  return {
    inputTokens: later('inputTokens'),
    outputTokens: later('outputTokens'),
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
  };
}

function countOf(value: number | undefined): number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
