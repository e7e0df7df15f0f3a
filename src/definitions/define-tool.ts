import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../core/json';
import type { Logger } from '../core/ports/logger';
import type { ToolEffect, ToolRisk } from '../core/tools';

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
  /** Longest run of one try, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** True when a call with these arguments may overlap with others. Default: never. */
  readonly parallel?: (args: z.infer<Schema>) => boolean;
  /** One line for the approver, at most 200 characters are shown. Default: the tool's name. */
  readonly summarize?: (args: z.infer<Schema>) => string;
  /** A digest of what the approver relies on; compared again before execution. */
  readonly precondition?: (args: z.infer<Schema>, context: ToolContext) => Promise<string>;
  /** Difference, table or text shown to the approver and covered by the decision. */
  readonly preview?: (args: z.infer<Schema>, context: ToolContext) => Promise<string>;
  /** Paths (`card.number`) shown as `hidden (n characters)`. */
  readonly sensitive?: readonly string[];
  /** Asked when a try may or may not have happened. */
  readonly verify?: (args: z.infer<Schema>, context: ToolContext) => Promise<VerifyAnswer>;
  readonly execute: (args: z.infer<Schema>, context: ToolContext) => Promise<ToolOutput>;
}

/** Result of checking arguments against a tool's schema. */
export type ParsedArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly violations: readonly string[] };

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
  readonly parallel: (args: JsonObject) => boolean;
  readonly summarize: (args: JsonObject) => string;
  readonly precondition: ((args: JsonObject, context: ToolContext) => Promise<string>) | undefined;
  readonly preview: ((args: JsonObject, context: ToolContext) => Promise<string>) | undefined;
  readonly verify: ((args: JsonObject, context: ToolContext) => Promise<VerifyAnswer>) | undefined;
  readonly execute: (args: JsonObject, context: ToolContext) => Promise<ToolOutput>;
}
