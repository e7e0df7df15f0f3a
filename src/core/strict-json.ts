import { HoldpointError } from './errors';
import type { JsonValue } from './json';

const MAX_DEPTH = 200;
const LONE_SURROGATE = /\p{Surrogate}/u;
const NUMBER = /-?[0-9][0-9.eE+-]*/y;

/**
 * `JSON.parse` that refuses every text two readers could understand differently. Linear in the length of the text.
 * A member named `__proto__` becomes an ordinary own member.
 *
 * Throws HoldpointError `malformed_json` for what is no JSON, and `not_canonical` for duplicate member names, integers
 * beyond 2^53, numbers too large for a double, lone surrogates, and nesting beyond 200 levels.
 */
export function parseStrictJson(text: string): JsonValue {
  const value = parseOrUndefined(text);
  if (value === undefined) {
    throw new HoldpointError('malformed_json', 'The text is not JSON.');
  }
  checkTokens(text);
  return value;
}

/** The error of `JSON.parse` is dropped on purpose: its message quotes the text. */
function parseOrUndefined(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Walks a text that is known to be JSON and looks at what `JSON.parse` forgives. */
function checkTokens(text: string): void {
  /** Names seen in each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let lastString = '';
  let index = 0;
  while (index < text.length) {
    const character = text[index];
    if (character === '"') {
      const token = stringAt(text, index);
      lastString = readString(token);
      index += token.length;
      continue;
    }
    if (character === '-' || (character !== undefined && character >= '0' && character <= '9')) {
      const token = numberAt(text, index);
      checkNumber(token);
      index += token.length;
      continue;
    }
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > MAX_DEPTH) {
        throw notCanonical(`nests deeper than ${MAX_DEPTH} levels`);
      }
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ':') {
      checkName(open.at(-1), lastString);
    }
    index += 1;
  }
}

/** The string that begins at `index`, with its quotes. By hand: a pattern overflows the stack on strings of some MiB. */
function stringAt(text: string, index: number): string {
  let end = index + 1;
  while (end < text.length && text[end] !== '"') {
    end += text[end] === '\\' ? 2 : 1;
  }
  return text.slice(index, end + 1);
}

function numberAt(text: string, index: number): string {
  NUMBER.lastIndex = index;
  return NUMBER.exec(text)?.[0] ?? text.slice(index);
}

function readString(token: string): string {
  const value = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  if (LONE_SURROGATE.test(value)) {
    throw notCanonical('holds a string with a lone surrogate');
  }
  return value;
}

function checkNumber(token: string): void {
  const value = Number(token);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw notCanonical('holds an integer beyond 2^53');
  }
}

function checkName(names: Set<string> | undefined, name: string): void {
  if (names?.has(name)) {
    throw notCanonical('names a member twice');
  }
  names?.add(name);
}

function notCanonical(fault: string): HoldpointError {
  return new HoldpointError('not_canonical', `The JSON text can be read in more than one way: it ${fault}.`);
}
