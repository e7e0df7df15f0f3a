import { canonicalJson } from '../core/canonical-json';
import { isHoldpointError } from '../core/errors';
import { isRecord, type JsonValue } from '../core/json';
import { parseStrictJson } from '../core/strict-json';
import type { ParsedArguments, ToolDefinition } from '../definitions/define-tool';

/**
 * The arguments of a call as its tool takes them. Empty text and `null` mean no arguments; a JSON text within a JSON
 * text, as some models write it, is unwrapped once. Never throws.
 */
export function parseCallArguments(definition: ToolDefinition, argumentsText: string): ParsedArguments {
  const value = readArguments(argumentsText);
  if (!value.ok) {
    return { ok: false, violations: [value.violation] };
  }
  const parsed = definition.parse(value.value);
  if (!parsed.ok) {
    return parsed;
  }
  try {
    canonicalJson(parsed.args);
    return parsed;
  } catch {
    return { ok: false, violations: ['arguments: expected values that JSON can carry without loss'] };
  }
}

type ReadArguments =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly violation: string };

function readArguments(argumentsText: string): ReadArguments {
  const text = argumentsText.trim();
  if (text === '') {
    return { ok: true, value: {} };
  }
  const once = parse(text);
  const twice = once.ok && typeof once.value === 'string' ? parse(once.value) : once;
  if (!twice.ok) {
    return twice;
  }
  const value = twice.value ?? {};
  return isRecord(value) ? { ok: true, value } : { ok: false, violation: 'arguments: expected a JSON object' };
}

function parse(text: string): ReadArguments {
  try {
    return { ok: true, value: parseStrictJson(text) };
  } catch (error) {
    const isAmbiguous = isHoldpointError(error) && error.code === 'not_canonical';
    return { ok: false, violation: isAmbiguous ? `arguments: ${error.message}` : 'arguments: expected JSON' };
  }
}
