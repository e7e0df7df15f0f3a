import { z } from 'zod';
import { canonicalJson } from '../core/canonical-json';
import { isRecord, type JsonObject, type JsonValue } from '../core/json';

/** What a parameter may be made of: each has an exact JSON Schema and hands on what the model wrote. */
const SUPPORTED: ReadonlySet<string> = new Set([
  ...['string', 'number', 'boolean', 'null', 'object', 'array', 'record', 'tuple', 'union', 'intersection', 'enum'],
  ...['literal', 'template_literal', 'optional', 'nullable', 'nonoptional', 'default', 'prefault', 'readonly', 'lazy'],
  ...['any', 'unknown', 'never'],
]);
/** Keywords that say nothing about what a value may be. */
const SILENT_KEYWORDS: ReadonlySet<string> = new Set(['default', 'readOnly', 'title', 'examples']);

/** The JSON Schema of a tool's parameters, or why there is none. */
export type ParametersSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly faults: readonly string[] };

/**
 * Turns a zod schema into frozen JSON Schema (2020-12, input side). A fault reads `path: what is wrong`.
 *
 * Refused are schemas that don't describe a JSON object; types JSON can't carry (dates, bigint, maps, …); transforms,
 * codecs and `catch`, because what runs must be what was shown; and parameters with neither type nor description.
 * Never throws.
 */
export function parametersSchemaOf(schema: unknown): ParametersSchema {
  if (!(schema instanceof z.ZodType)) {
    return { ok: false, faults: ['parameters: expected a zod 4 schema'] };
  }
  const faults: string[] = [];
  try {
    const converted = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, path }) => {
        const fault = faultOfNode(zodSchema._zod.def);
        if (fault !== undefined) {
          faults.push(`${shownPath(path)}: ${fault}`);
        }
      },
    });
    // A round trip through JSON leaves plain data and shows at once what JSON can't carry.
    const plain = JSON.parse(JSON.stringify({ ...converted, $schema: undefined })) as JsonObject;
    // Digests are made of it, so a schema without canonical JSON has to stop here.
    canonicalJson(plain);
    if (faults.length === 0) {
      checkShape(plain, faults);
    }
    return faults.length > 0 ? { ok: false, faults: [...new Set(faults)] } : { ok: true, schema: deepFreeze(plain) };
  } catch {
    return { ok: false, faults: faults.length > 0 ? faults : ['parameters: can not be written as JSON Schema'] };
  }
}

function faultOfNode(definition: z.core.$ZodTypeDef): string | undefined {
  if (definition.type === 'pipe' || definition.type === 'transform') {
    return 'changes the value while it is checked; convert it in execute instead';
  }
  if (definition.type === 'catch') {
    return 'replaces invalid values in silence; use a default or let the call be refused';
  }
  if (!SUPPORTED.has(definition.type)) {
    return `${definition.type} can not be written as JSON Schema`;
  }
  const values: unknown = definition.type === 'literal' && 'values' in definition ? definition.values : [];
  const hasForeignValue = Array.isArray(values) && values.some((value) => !isJsonLiteral(value));
  return hasForeignValue ? 'holds a literal that JSON does not have' : undefined;
}

function isJsonLiteral(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** The root has to be an object, and every parameter has to say what it is. */
function checkShape(schema: JsonObject, faults: string[]): void {
  if (schema['type'] !== 'object') {
    faults.push('parameters: must describe one JSON object; put a union inside an object');
  }
  checkNode(schema, '', faults);
}

function checkNode(node: JsonValue | undefined, path: string, faults: string[]): void {
  if (Array.isArray(node)) {
    for (const item of node) {
      checkNode(item, path, faults);
    }
    return;
  }
  if (!isSchemaNode(node)) {
    return;
  }
  const properties = node['properties'];
  for (const [name, property] of isSchemaNode(properties) ? Object.entries(properties) : []) {
    const propertyPath = path === '' ? name : `${path}.${name}`;
    if (isSchemaNode(property) && Object.keys(property).every((keyword) => SILENT_KEYWORDS.has(keyword))) {
      faults.push(`${propertyPath}: has neither a type nor a description`);
    }
    checkNode(property, propertyPath, faults);
  }
  checkNode(node['items'], `${path}[]`, faults);
  for (const keyword of ['prefixItems', 'anyOf', 'allOf', 'oneOf', 'additionalProperties']) {
    checkNode(node[keyword], path, faults);
  }
  const definitions = node['$defs'];
  for (const definition of isSchemaNode(definitions) ? Object.values(definitions) : []) {
    checkNode(definition, path, faults);
  }
}

function isSchemaNode(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

/** `properties, card, properties, number` as `card.number`. */
function shownPath(path: readonly (string | number)[]): string {
  let shown = '';
  for (let index = 0; index < path.length; index += 1) {
    const step = path[index];
    if (step === 'properties') {
      index += 1;
      shown += `${shown === '' ? '' : '.'}${path[index] ?? ''}`;
    } else if (step === 'items' || step === 'prefixItems') {
      shown += '[]';
    }
  }
  return shown === '' ? 'parameters' : shown;
}

function deepFreeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) {
      deepFreeze(member);
    }
    Object.freeze(value);
  }
  return value;
}
