import type { Chunk } from '../core/chunks';
import { type ErrorCode, HoldpointError } from '../core/errors';
import type { FinishReason, Usage } from '../core/messages';
import type { ModelRequest } from '../core/ports/model-adapter';

/** What a scripted model does when it is asked once. Made by `reply`, `failure` and `cutStream`. */
export interface ScriptStep {
  /** Names the step in messages of failed tests. */
  readonly title: string;
  readonly chunks: readonly Chunk[];
  /** Thrown after the chunks. */
  readonly error?: HoldpointError;
  readonly expectRequest?: ExpectRequest;
}

/** Looks at what the model was asked and throws, as `expect` does, when it is not what was expected. */
export type ExpectRequest = (request: ModelRequest) => void;

/** A call the model asks for. */
export interface ScriptedCall {
  /** Any name, also of a tool that does not exist. */
  readonly tool: string;
  /** Written as JSON. Default `{}`. */
  readonly args?: unknown;
  /** The arguments as raw text instead, for what a model should not write: broken JSON, repeated keys. */
  readonly argumentsText?: string;
}

export interface ReplyOptions {
  readonly text?: string;
  readonly reasoning?: string;
  /** In the order the model asks for them. */
  readonly calls?: readonly ScriptedCall[];
  /** Default `tool-calls` with calls, else `stop`. */
  readonly finish?: FinishReason;
  /** Tokens. Default 1 each. */
  readonly usage?: Usage;
  readonly expectRequest?: ExpectRequest;
}

/** Codes of failed model calls. */
export type ModelErrorCode = Extract<ErrorCode, `model_${string}`>;

const ONE_EACH: Usage = { inputTokens: 1, outputTokens: 1 };
const SHOWN_CHARACTERS = 60;

/** A whole reply: text, calls, or both. */
export function reply(options: ReplyOptions): ScriptStep {
  const { text, reasoning, calls = [], usage = ONE_EACH, expectRequest } = options;
  const finish = options.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  const shown = [
    ...(text === undefined ? [] : [shownText(text)]),
    ...calls.map(({ tool, ...call }) => `calls ${tool} ${shownText(argumentsTextOf(call))}`),
  ];
  return {
    title: `reply(${shown.join(', ')})`,
    chunks: [
      ...(reasoning === undefined ? [] : [{ type: 'reasoning-delta' as const, index: 0, text: reasoning }]),
      ...(text === undefined ? [] : [{ type: 'text-delta' as const, index: 1, text }]),
      ...calls.map(callChunk),
      { type: 'usage', usage },
      { type: 'finish', reason: finish },
    ],
    ...(expectRequest === undefined ? {} : { expectRequest }),
  };
}

/**
 * A model call that fails, for example `failure('model_overloaded')`. After a code that may be repeated the model is
 * asked again, at most five times for one round: each attempt takes a step of the script.
 */
export function failure(code: ModelErrorCode, options: Pick<ReplyOptions, 'expectRequest'> = {}): ScriptStep {
  return {
    title: `failure(${code})`,
    chunks: [],
    error: new HoldpointError(code, `The script says ${code}.`),
    ...options,
  };
}

/** A stream that breaks off, after some text if given. The model is asked again, as after a failure. */
export function cutStream(options: Pick<ReplyOptions, 'text' | 'expectRequest'> = {}): ScriptStep {
  const { text, ...rest } = options;
  return {
    title: `cutStream(${text === undefined ? '' : shownText(text)})`,
    chunks: text === undefined ? [] : [{ type: 'text-delta', index: 0, text }],
    ...rest,
  };
}

function callChunk(call: ScriptedCall, index: number): Chunk {
  return {
    type: 'tool-call-delta',
    index: index + 2,
    providerCallId: `call-${index + 1}`,
    name: call.tool,
    argumentsText: argumentsTextOf(call),
  };
}

function argumentsTextOf({ args, argumentsText }: Omit<ScriptedCall, 'tool'>): string {
  return argumentsText ?? JSON.stringify(args ?? {});
}

function shownText(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
