/**
 * What differs in shape between a JSON text of a document and a real answer: members that are missing, that the document
 * does not name, or that are of another kind. Ids, times and texts may differ. In the document `…` stands for members
 * or values that it leaves out.
 */
export function shapeFaults(documented: string, real: string): readonly string[] {
  const readable = documented.replace(/,\s*…/g, ',"…":0').replace(/\{…\}/g, '{"…":0}');
  return faults(JSON.parse(readable), JSON.parse(real), '$');
}

function faults(documented: unknown, real: unknown, path: string): readonly string[] {
  if (kindOf(documented) !== kindOf(real)) {
    return [`${path} is ${kindOf(real)}, not ${kindOf(documented)}`];
  }
  if (Array.isArray(documented) && Array.isArray(real)) {
    if (documented.length !== real.length) {
      return [`${path} has ${real.length} elements, not ${documented.length}`];
    }
    return documented.flatMap((element, index) => faults(element, real[index], `${path}[${index}]`));
  }
  if (isObject(documented) && isObject(real)) {
    const { '…': leftOut, ...named } = documented;
    const unnamed = leftOut === undefined ? Object.keys(real).filter((key) => !(key in named)) : [];
    return [
      ...unnamed.map((key) => `${path}.${key} is not documented`),
      ...Object.entries(named).flatMap(([key, value]) => faults(value, real[key], `${path}.${key}`)),
    ];
  }
  return [];
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
