import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../core/json';
import type { Logger } from '../core/ports/logger';
import type { ToolEffect, ToolRisk } from '../core/tools';
import { wellFormedText } from '../core/well-formed-text';
import { collectFaults, type DefinitionFaults, shownValue } from './definition-faults';
import { parametersSchemaOf } from './parameters-schema';
import { type ParsedArguments, parseArguments } from './parse-arguments';
import { sensitivePathFaults } from './sensitive-paths';
import { isToolName, TOOL_NAME_RULE } from './tool-name';

export type { ParsedArguments } from './parse-arguments';

const DEFAULT_TIMEOUT_MS = 30_000;
/** A try is one activity attempt; what takes longer than an hour belongs behind a tool that starts it. */
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_SUMMARY_CHARACTERS = 200;

/** What a tool knows about the call it serves. Scope comes from here, never from the model's arguments. */
export interface ToolContext {
  readonly tenant: string;
  readonly sessionId: string;
  readonly callId: string;
  /** Who caused the turn, from authentication. */
  readonly principal: string | undefined;
  /** On whose behalf, when a trusted service says so. */
  readonly subject: string | undefined;
  /** The same for every try of this call; hand it to the target system. */
  readonly idempotencyKey: string;
  /**
   * What `precondition` returned when the question was asked: the state an approved call was approved for. Set for
   * `execute` and `verify` of a call that has one; undefined for calls that run without a question.
   */
  readonly approvedPrecondition: string | undefined;
  /** Fires on the tool's own timeout and on a cancelled turn; for reads also when the worker stops. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** Whether a write took effect, asked by its idempotency key. */
export type VerifyAnswer = 'applied' | 'not_applied' | 'unknown';

/**
 * What `execute` may return: text, or a JSON value (shown to the model as JSON text). `undefined`, null and '' become
 * `(no output)`. Throw `ToolRefused` for a message the model may read; the text of any other error stays in the log.
 */
export type ToolOutput = string | JsonValue | undefined;

/** A tool as its author writes it. */
export interface ToolOptions<Schema extends z.ZodType> {
  /** `^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`, unique within a project. */
  readonly name: string;
  readonly description: string;
  /** Must describe a JSON object. */
  readonly parameters: Schema;
  /** Default `write`: what is not declared a read waits for a human. */
  readonly effect?: ToolEffect;
  /** Default `medium`. */
  readonly risk?: ToolRisk;
  /** True when the target ignores a repeat under the same idempotency key. Default false. */
  readonly idempotent?: boolean;
  /** Raise it when the meaning changes but name and schema do not. Default `1`. */
  readonly version?: string;
  /** Longest run of one try, in milliseconds, at most one hour. Default 30,000. */
  readonly timeoutMs?: number;
  /** True when a call with these arguments may overlap with others. Default: never. */
  readonly parallel?: (args: z.infer<Schema>) => boolean;
  /** One line for the approver, at most 200 characters are shown. Default: the tool's name. */
  readonly summarize?: (args: z.infer<Schema>) => string;
  /**
   * A digest of what the approver relies on; compared again before execution. It may throw `ToolRefused`: such a call
   * is answered with the refusal and nobody is asked.
   */
  readonly precondition?: (args: z.infer<Schema>, context: ToolContext) => Promise<string>;
  /** Difference, table or text shown to the approver and covered by the decision. May throw `ToolRefused`, too. */
  readonly preview?: (args: z.infer<Schema>, context: ToolContext) => Promise<string>;
  /** Paths (`card.number`) shown as `hidden (n characters)`; arrays on the way need no step of their own. */
  readonly sensitive?: readonly string[];
  /** Asked when a try may or may not have happened. */
  readonly verify?: (args: z.infer<Schema>, context: ToolContext) => Promise<VerifyAnswer>;
  readonly execute: (args: z.infer<Schema>, context: ToolContext) => Promise<ToolOutput>;
}

/** A tool with its defaults filled in and its argument type erased, as registries and activities hold it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly effect: ToolEffect;
  readonly risk: ToolRisk;
  readonly idempotent: boolean;
  readonly version: string;
  readonly timeoutMs: number;
  readonly sensitive: readonly string[];
  /** JSON Schema of the parameters, made once. */
  readonly parametersSchema: JsonObject;
  /** Checks arguments; a violation reads `path: what is expected`. Never throws. */
  readonly parse: (value: unknown) => ParsedArguments;
  /** Never throws: an author's function that throws means false. */
  readonly parallel: (args: JsonObject) => boolean;
  /** One line of at most 200 characters. Never throws: an author's function that throws means the tool's name. */
  readonly summarize: (args: JsonObject) => string;
  readonly precondition: ((args: JsonObject, context: ToolContext) => Promise<string>) | undefined;
  readonly preview: ((args: JsonObject, context: ToolContext) => Promise<string>) | undefined;
  readonly verify: ((args: JsonObject, context: ToolContext) => Promise<VerifyAnswer>) | undefined;
  readonly execute: (args: JsonObject, context: ToolContext) => Promise<ToolOutput>;
}

/**
 * Checks a tool and fills in its defaults. The JSON Schema of its parameters is made here, once.
 * Throws HoldpointError `invalid_definition` that names the tool and every fault with its path.
 */
export function defineTool<Schema extends z.ZodType>(options: ToolOptions<Schema>): ToolDefinition {
  const faults = collectFaults(`tool ${shownValue(options.name)}`);
  const converted = parametersSchemaOf(options.parameters);
  const parametersSchema = converted.ok ? converted.schema : {};
  checkOptions(options as ToolOptions<z.ZodType>, faults);
  for (const fault of converted.ok
    ? sensitivePathFaults(parametersSchema, options.sensitive ?? [])
    : converted.faults) {
    faults.add(fault);
  }
  faults.throwIfAny();

  const { name, parameters, precondition, preview, verify, execute } = options;
  // The one place where the argument type is dropped: `parse` is what makes a JsonObject fit it.
  const typed = (args: JsonObject): z.infer<Schema> => args as z.infer<Schema>;
  return Object.freeze({
    name,
    description: options.description,
    effect: options.effect ?? 'write',
    risk: options.risk ?? 'medium',
    idempotent: options.idempotent ?? false,
    version: options.version ?? '1',
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    sensitive: Object.freeze([...(options.sensitive ?? [])]),
    parametersSchema,
    parse: (value) => parseArguments(parameters, value),
    parallel: (args) => orElse(false, () => options.parallel?.(typed(args)) === true),
    summarize: (args) => orElse(name, () => oneLine(options.summarize?.(typed(args)) ?? name) || name),
    precondition: precondition && (async (args, context) => precondition(typed(args), context)),
    preview: preview && (async (args, context) => preview(typed(args), context)),
    verify: verify && (async (args, context) => verify(typed(args), context)),
    execute: async (args, context) => execute(typed(args), context),
  } satisfies ToolDefinition);
}

function checkOptions(options: ToolOptions<z.ZodType>, faults: DefinitionFaults): void {
  const {
    name,
    description,
    effect = 'write',
    risk = 'medium',
    version = '1',
    timeoutMs = 1,
    sensitive = [],
  } = options;
  faults.expect(isToolName(name), `name: expected ${TOOL_NAME_RULE}`);
  faults.expect(isText(description) && description.trim() !== '', 'description: expected a text');
  faults.expect(['read', 'write'].includes(effect), `effect: expected read or write, got ${shownValue(effect)}`);
  faults.expect(
    ['low', 'medium', 'high'].includes(risk),
    `risk: expected low, medium or high, got ${shownValue(risk)}`,
  );
  faults.expect(isText(version) && version !== '', 'version: expected a text');
  faults.expect(typeof (options.idempotent ?? false) === 'boolean', 'idempotent: expected true or false');
  faults.expect(
    Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS,
    `timeoutMs: expected whole milliseconds from 1 to ${MAX_TIMEOUT_MS}, got ${shownValue(timeoutMs)}`,
  );
  faults.expect(
    Array.isArray(sensitive) && sensitive.every((path) => typeof path === 'string'),
    'sensitive: expected paths',
  );
  faults.expect(typeof options.execute === 'function', 'execute: expected a function');
  for (const part of ['parallel', 'summarize', 'precondition', 'preview', 'verify'] as const) {
    faults.expect(['function', 'undefined'].includes(typeof options[part]), `${part}: expected a function`);
  }
}

/** True for a string that is well formed, so that digests can be made of it. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && wellFormedText(value) === value;
}

function orElse<Value>(fallback: Value, run: () => Value): Value {
  try {
    return run();
  } catch {
    return fallback;
  }
}

/** Text of a model's on one line: control characters and white space become single spaces. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return wellFormedText(line.length > MAX_SUMMARY_CHARACTERS ? `${line.slice(0, MAX_SUMMARY_CHARACTERS - 1)}…` : line);
}
