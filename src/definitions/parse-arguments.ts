import type { z } from 'zod';
import { isRecord, type JsonObject } from '../core/json';
import { wellFormedText } from '../core/well-formed-text';

/** Violations a model is told about; the rest is counted. */
const MAX_VIOLATIONS = 20;
const MAX_VIOLATION_CHARACTERS = 200;

/** Result of checking arguments against a tool's schema. */
export type ParsedArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly violations: readonly string[] };

/**
 * Checks arguments against a schema and fills in its defaults. A violation reads `path: what is expected`.
 *
 * Nothing is stripped in silence: keys the schema does not name are kept, unless it closes the object, which makes them
 * violations. The one thing taken away is a `null` where an optional member may not be null: some providers write that
 * for "not given". `undefined` and `null` as a whole count as `{}`.
 * Never throws: a check of the schema's own that throws, or is asynchronous, is a violation.
 */
export function parseArguments(schema: z.ZodType, value: unknown): ParsedArguments {
  const candidate = value ?? {};
  if (!isRecord(candidate)) {
    return { ok: false, violations: ['arguments: expected a JSON object'] };
  }
  try {
    const first = schema.safeParse(candidate);
    if (first.success) {
      return accepted(candidate, first.data);
    }
    const withoutNulls = removeNulls(candidate, first.error.issues);
    const second = withoutNulls === undefined ? undefined : schema.safeParse(withoutNulls);
    if (second?.success) {
      return accepted(withoutNulls, second.data);
    }
    return { ok: false, violations: describeIssues(first.error.issues) };
  } catch {
    return { ok: false, violations: ['arguments: could not be checked; a check of this tool failed on them'] };
  }
}

function accepted(given: unknown, parsed: unknown): ParsedArguments {
  return { ok: true, args: keepUnnamedKeys(given, parsed) as JsonObject };
}

/** `parsed` with the keys of `given` that the schema did not name; zod leaves those out. */
function keepUnnamedKeys(given: unknown, parsed: unknown): unknown {
  if (Array.isArray(given) && Array.isArray(parsed)) {
    return parsed.map((item, index) => keepUnnamedKeys(given[index], item));
  }
  if (!isRecord(given) || !isRecord(parsed)) {
    return parsed;
  }
  const named = Object.entries(parsed).map(([key, member]) => {
    return [key, Object.hasOwn(given, key) ? keepUnnamedKeys(given[key], member) : member] as const;
  });
  const unnamed = Object.entries(given).filter(([key]) => !Object.hasOwn(parsed, key));
  // Object.fromEntries makes own members, also of a key named __proto__.
  return Object.fromEntries([...named, ...unnamed].filter(([, member]) => member !== undefined));
}

/** A copy without the null members that violate the schema; undefined when there are none. */
function removeNulls(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const paths = issues.map(({ path }) => path).filter((path) => path.length > 0 && valueAt(value, path) === null);
  return paths.length === 0 ? undefined : paths.reduce<unknown>((rest, path) => withoutMember(rest, path), value);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((node, key) => {
    return typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined;
  }, value);
}

function withoutMember(value: unknown, path: readonly PropertyKey[]): unknown {
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key && rest.length > 0 ? withoutMember(item, rest) : item));
  }
  if (!isRecord(value)) {
    return value;
  }
  const kept = Object.entries(value).filter(([name]) => rest.length > 0 || name !== key);
  return Object.fromEntries(kept.map(([name, member]) => [name, name === key ? withoutMember(member, rest) : member]));
}

function describeIssues(issues: readonly z.core.$ZodIssue[]): readonly string[] {
  const violations = issues.flatMap((issue) => describeIssue(issue, [])).map(shorten);
  const more = violations.length - MAX_VIOLATIONS;
  return more > 0 ? [...violations.slice(0, MAX_VIOLATIONS), `arguments: ${more} more violations`] : violations;
}

function describeIssue(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[]): readonly string[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // Of the forms a union allows, the one with the fewest faults is most likely the one that was meant.
    const closest = issue.errors.reduce((best, next) => (next.length < best.length ? next : best));
    return closest.flatMap((inner) => describeIssue(inner, path));
  }
  return [`${shownPath(path)}: ${issue.message.replace(/^Invalid input: /, '')}`];
}

function shownPath(path: readonly PropertyKey[]): string {
  const shown = path.reduce<string>((text, step) => {
    return typeof step === 'number' ? `${text}[${step}]` : `${text}${text === '' ? '' : '.'}${String(step)}`;
  }, '');
  return shown === '' ? 'arguments' : shown;
}

function shorten(text: string): string {
  return wellFormedText(text.length > MAX_VIOLATION_CHARACTERS ? `${text.slice(0, MAX_VIOLATION_CHARACTERS)}…` : text);
}
