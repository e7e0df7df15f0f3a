import type { ToolResultData } from '../core/entries';
import { isToolRefused } from '../core/tool-refused';
import { wellFormedText } from '../core/well-formed-text';
import { capText } from './cap-text';
import { errorText, redactDetail } from './redact-detail';
import { detailText } from './result-text';

/** Largest output that is kept whole; of a larger one the blob holds the start. */
const MAX_BLOB_BYTES = 16 * 1024 * 1024;
/** Largest text in the log, for agents that have switched their own cap off. */
const MAX_LOGGED_BYTES = 1024 * 1024;
const NO_OUTPUT = '(no output)';
const MAX_DEPTH = 200;

/** What a body's end means for the call. */
export type BodyResult = Pick<ToolResultData, 'status' | 'text'> &
  Partial<Pick<ToolResultData, 'code' | 'detail' | 'sizeBytes' | 'truncated'>> & {
    /** The whole output, when the text shows only its start. */
    readonly blob?: Uint8Array;
  };

/**
 * What a tool returned, as the model reads it: text as it is, everything else as JSON text; nothing at all becomes
 * `(no output)`. What is no JSON (cycles, bigint, functions, maps) is `tool_invalid_result`: the tool did run.
 *
 * @param capBytes Longest text for the model; 0 = off.
 */
export function resultOfOutput(output: unknown, capBytes: number): BodyResult {
  const text = textOfOutput(output);
  if (text === undefined) {
    return { status: 'error', code: 'tool_invalid_result', text: detailText('invalid-result') };
  }
  const whole = wellFormedText(text);
  const capped = capText(whole, capBytes === 0 ? MAX_LOGGED_BYTES : Math.min(capBytes, MAX_LOGGED_BYTES));
  const { sizeBytes } = capped;
  return capped.isCut
    ? { status: 'success', text: capped.text, sizeBytes, truncated: true, blob: blobOf(whole) }
    : { status: 'success', text: capped.text, sizeBytes };
}

/** What a tool's error means: a refusal is for the model to read, every other text stays in the log. */
export function resultOfError(error: unknown, effect: 'read' | 'write', capBytes: number): BodyResult {
  if (isToolRefused(error)) {
    const { text } = resultOfOutput(error.message, capBytes);
    return { status: 'error', code: 'tool_refused', text };
  }
  return {
    status: 'error',
    code: 'tool_failed',
    text: detailText(effect === 'write' ? 'write-failed' : 'tool-failed'),
    detail: redactDetail(errorText(error)),
  };
}

function blobOf(text: string): Uint8Array {
  return Buffer.from(capText(text, MAX_BLOB_BYTES).text);
}

/** Undefined for what JSON can't carry. */
function textOfOutput(output: unknown): string | undefined {
  if (output === undefined || output === null || output === '') {
    return NO_OUTPUT;
  }
  if (typeof output === 'string') {
    return output;
  }
  try {
    return isJson(output, 0) ? JSON.stringify(output) : undefined;
  } catch {
    return undefined;
  }
}

/** True for plain data. Values that know their JSON form (dates) count; a cycle is deeper than any data. */
function isJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (depth < MAX_DEPTH && isJsonObject(value, depth + 1));
    default:
      return false;
  }
}

function isJsonObject(value: object, depth: number): boolean {
  if (Array.isArray(value)) {
    return value.every((item) => isJson(item, depth));
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return isJson(value.toJSON(), depth);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && Object.values(value).every((member) => isJson(member, depth));
}
