/** A value that JSON can carry without loss. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. `undefined` members do not exist on the wire and are left out before a value becomes one of these. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
