import { HoldpointError } from './errors';

/** Nested arrays and objects a value may have; deeper ones (and so every cycle) are refused before the stack ends. */
const MAX_DEPTH = 500;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The one JSON text of a value (RFC 8785): members sorted by UTF-16 code units, no white space. Equal values have equal
 * texts, so a digest over it is a digest of the value.
 *
 * `undefined` members of objects are left out. Throws HoldpointError `not_canonical` for what JSON can't carry without
 * loss: integers beyond 2^53, NaN and infinities, lone surrogates, `undefined` in arrays, functions, symbols, bigint,
 * objects that are not plain (dates, maps, bytes), and nesting beyond 500 levels, which includes cycles.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (value === null || typeof value === 'boolean') {
    return String(value);
  }
  if (typeof value === 'string') {
    return writeString(value);
  }
  if (typeof value === 'number') {
    return writeNumber(value);
  }
  if (typeof value !== 'object') {
    throw notCanonical(`holds a value of type ${typeof value}`);
  }
  if (depth >= MAX_DEPTH) {
    throw notCanonical(`nests deeper than ${MAX_DEPTH} levels or refers to itself`);
  }
  return Array.isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
}

function writeString(value: string): string {
  if (LONE_SURROGATE.test(value)) {
    throw notCanonical('holds a string with a lone surrogate');
  }
  return JSON.stringify(value);
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) {
    throw notCanonical('holds a number that is not finite');
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw notCanonical('holds an integer beyond 2^53');
  }
  return JSON.stringify(value);
}

function writeArray(values: readonly unknown[], depth: number): string {
  // Array.from turns holes into undefined, which is refused; map would skip them.
  return `[${Array.from(values, (value) => write(value, depth)).join(',')}]`;
}

function writeObject(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Compared by shape, not by identity: a plain object may come from another realm (the workflow sandbox, tests).
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw notCanonical('holds an object that is not plain');
  }
  const members: string[] = [];
  const record = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(value).sort()) {
    const member = record[name];
    if (member !== undefined) {
      members.push(`${writeString(name)}:${write(member, depth)}`);
    }
  }
  return `{${members.join(',')}}`;
}

function notCanonical(fault: string): HoldpointError {
  return new HoldpointError('not_canonical', `The value has no canonical JSON: it ${fault}.`);
}
