import { isNativeError } from 'node:util/types';
import { isHoldpointError } from '../core/errors';

/** What an id, a code, a time, a version, a path or an address looks like. Prose, JSON and most secrets do not. */
const PLAIN_TEXT = /^[A-Za-z0-9._:/@+-]{1,200}$/;
/** Fields that hold what people, models and tools wrote, or what opens doors: never shown, whatever they look like. */
const TEXT_NAME =
  /^(text|content|arguments|args|result|output|message|comment|body|prompt|preview|summary|system|title)$/i;
const SECRET_NAME = /secret|passw|authorization|cookie|credential|token$|api_?key|private_?key/i;
/** Keys every line has of its own. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'name', 'message']);
const MAX_LIST_LENGTH = 20;
const MAX_CAUSES = 3;

/**
 * The fields of a log line as they may be written: numbers, booleans, ids and codes. Every other value becomes
 * `hidden (n characters)`, so that a text of somebody else's can't get into a log by mistake. Errors of ours keep code,
 * message and details; of any other error only its name, its system code and its stack frames are kept, since its
 * message may quote anything. Never throws.
 */
export function loggableFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(fields).flatMap(([name, value]) => {
    const key = RESERVED_NAMES.has(name) ? `field_${name}` : name;
    return value === undefined ? [] : [[key, loggableValue(name, value)] as const];
  });
  return Object.fromEntries(shown);
}

function loggableValue(name: string, value: unknown): unknown {
  if (TEXT_NAME.test(name) || SECRET_NAME.test(name)) {
    return hidden(value);
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_LIST_LENGTH).map(loggableScalar);
    return value.length > MAX_LIST_LENGTH ? [...shown, `${value.length - MAX_LIST_LENGTH} more`] : shown;
  }
  return isError(value) ? loggableError(value, MAX_CAUSES) : loggableScalar(value);
}

function loggableScalar(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'string':
      return PLAIN_TEXT.test(value) ? value : hidden(value);
    default:
      return value === null ? null : hidden(value);
  }
}

function hidden(value: unknown): string {
  return typeof value === 'string' ? `hidden (${value.length} characters)` : `hidden (${typeof value})`;
}

function loggableError(error: Error, causesLeft: number): Record<string, unknown> {
  const { cause } = error;
  const ofOurs = isHoldpointError(error)
    ? { code: error.code, message: error.message, details: loggableFields(error.details) }
    : { code: loggableScalar((error as { code?: unknown }).code ?? null) };
  return {
    type: loggableScalar(error.name),
    ...ofOurs,
    frames: framesOf(error),
    ...(isError(cause) && causesLeft > 0 ? { cause: loggableError(cause, causesLeft - 1) } : {}),
  };
}

/** True also for errors of another realm, as Node's own are under a test runner. */
function isError(value: unknown): value is Error {
  return value instanceof Error || isNativeError(value);
}

/** The stack without its head, which repeats the message, and without any line that only looks like a frame. */
function framesOf({ stack, message }: Error): readonly string[] {
  const lines = typeof stack === 'string' ? stack.replace(message, '').split('\n') : [];
  return lines.filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line)).map((line) => line.trim());
}
