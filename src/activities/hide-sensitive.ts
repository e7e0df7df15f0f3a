import { isRecord, type JsonObject, type JsonValue } from '../core/json';

/**
 * A copy of arguments with the values at `paths` (`card.number`; arrays on the way need no step) replaced by
 * `hidden (n characters)`. What is digested and run stays the original.
 */
export function hideSensitive(args: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce((shown, path) => hideAt(shown, path.split('.')) as JsonObject, args);
}

function hideAt(value: JsonValue, steps: readonly string[]): JsonValue {
  if (steps.length === 0) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `hidden (${text.length} characters)`;
  }
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => hideAt(item, steps));
  }
  if (!isRecord(value)) {
    return value;
  }
  const [step, ...rest] = steps;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === step ? hideAt(member as JsonValue, rest) : member]),
  ) as JsonObject;
}
