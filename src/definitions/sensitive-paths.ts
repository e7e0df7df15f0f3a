import { isRecord, type JsonObject, type JsonValue } from '../core/json';

/** Keywords with which a schema can hold members that `properties` does not name. */
const OPEN_KEYWORDS = ['$ref', 'anyOf', 'allOf', 'oneOf'] as const;

/** Sensitive paths that name no parameter: a mistyped one would show what was meant to be hidden. */
export function sensitivePathFaults(schema: JsonObject, paths: unknown): readonly string[] {
  const texts = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
  return texts.filter((path) => !mayExist(schema, path.split('.'))).map((path) => `sensitive: no parameter ${path}`);
}

/** Follows a path through objects and, without a step of its own, through arrays. */
function mayExist(node: JsonValue | undefined, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined || !isSchema(node) || OPEN_KEYWORDS.some((keyword) => Object.hasOwn(node, keyword))) {
    return true;
  }
  if (isSchema(node['items'])) {
    return mayExist(node['items'], steps);
  }
  const properties = node['properties'];
  if (isSchema(properties) && Object.hasOwn(properties, step)) {
    return mayExist(properties[step], rest);
  }
  return isSchema(node['additionalProperties']);
}

function isSchema(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}
